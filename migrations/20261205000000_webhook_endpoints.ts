import type { Knex } from 'knex';

/**
 * The addresses to which the service delivers the events of a feed. An endpoint has a cursor, so
 * successful deliveries write no row. Secrets are derived, not stored. The service deletes an
 * endpoint when its partner does.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE webhook_endpoints (
      environment_id integer NOT NULL,
      endpoint_id uuid NOT NULL,
      environment_kind text NOT NULL,
      slot smallint NOT NULL,
      url text NOT NULL,
      types text[] NOT NULL,
      description text,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      verified_at timestamptz,
      disabled_at timestamptz,
      disabled_reason text,
      secret_version integer NOT NULL,
      key_version smallint NOT NULL,
      previous_key_version smallint,
      previous_secret_until timestamptz,
      position bigint NOT NULL,
      delivered_at timestamptz,
      lease_id uuid,
      leased_until timestamptz,
      failure_count integer NOT NULL,
      failing_since timestamptz,
      next_probe_at timestamptz,
      probe_count integer NOT NULL,
      notice_count smallint NOT NULL,
      CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (environment_id, endpoint_id),
      CONSTRAINT webhook_endpoints_environment_fkey
        FOREIGN KEY (environment_id, environment_kind) REFERENCES environments (environment_id, kind),
      CONSTRAINT webhook_endpoints_slot_key UNIQUE (environment_id, slot),
      CONSTRAINT webhook_endpoints_url_key UNIQUE (environment_id, url),
      CONSTRAINT webhook_endpoints_slot_range CHECK (slot BETWEEN 1 AND 10),
      CONSTRAINT webhook_endpoints_disabled_has_reason CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
      CONSTRAINT webhook_endpoints_failing_counted CHECK ((failing_since IS NULL) = (failure_count = 0)),
      CONSTRAINT webhook_endpoints_probe_failing CHECK (next_probe_at IS NULL OR failing_since IS NOT NULL)
    );
    COMMENT ON TABLE webhook_endpoints IS 'where partners receive the events of their feed';
    COMMENT ON COLUMN webhook_endpoints.slot IS 'limits the endpoints of an environment to 10';
    COMMENT ON COLUMN webhook_endpoints.types IS 'the types of events to deliver; empty for all';
    COMMENT ON COLUMN webhook_endpoints.key_version IS
      'the master key from which the current secret is derived, with endpoint_id and secret_version';
    COMMENT ON COLUMN webhook_endpoints.position IS
      'every event up to this number was delivered, waits in webhook_retries, or is of another type';
    COMMENT ON COLUMN webhook_endpoints.failing_since IS 'the first of the failures since the last success';
    COMMENT ON COLUMN webhook_endpoints.next_probe_at IS
      'set while deliveries are stopped; then one delivery is attempted'`);
  await knex.raw(`
    GRANT SELECT (environment_id, endpoint_id, environment_kind, slot, url, types, description, created_at,
                  updated_at, verified_at, disabled_at, disabled_reason, secret_version, key_version,
                  previous_key_version, previous_secret_until, position, delivered_at, failing_since,
                  next_probe_at),
          INSERT (environment_id, endpoint_id, environment_kind, slot, url, types, description, created_at,
                  updated_at, verified_at, secret_version, key_version, position, failure_count, probe_count,
                  notice_count),
          UPDATE (url, types, description, updated_at, verified_at, disabled_at, disabled_reason, secret_version,
                  key_version, previous_key_version, previous_secret_until, failure_count, failing_since,
                  next_probe_at, probe_count, notice_count)
      ON webhook_endpoints TO contribution_service;
    GRANT DELETE ON webhook_endpoints TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE webhook_endpoints');
}
