import type { Knex } from 'knex';

/** Repeats of a part of a feed to one endpoint, each with its progress. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE webhook_replays (
      environment_id integer NOT NULL,
      replay_id uuid NOT NULL,
      endpoint_id uuid NOT NULL,
      from_sequence bigint NOT NULL,
      to_sequence bigint NOT NULL,
      types text[] NOT NULL,
      selection text NOT NULL,
      event_count integer NOT NULL,
      position bigint NOT NULL,
      delivered_count integer NOT NULL,
      skipped_count integer NOT NULL,
      attempts smallint NOT NULL,
      skipped_in_row smallint NOT NULL,
      next_attempt_at timestamptz NOT NULL,
      lease_id uuid,
      leased_until timestamptz,
      created_at timestamptz NOT NULL,
      ended_at timestamptz,
      outcome text,
      CONSTRAINT webhook_replays_pkey PRIMARY KEY (environment_id, replay_id),
      CONSTRAINT webhook_replays_endpoint_fkey FOREIGN KEY (environment_id, endpoint_id)
        REFERENCES webhook_endpoints (environment_id, endpoint_id) ON DELETE CASCADE,
      CONSTRAINT webhook_replays_selection_known CHECK (selection IN ('all', 'exhausted')),
      CONSTRAINT webhook_replays_position_range CHECK (position BETWEEN from_sequence - 1 AND to_sequence),
      CONSTRAINT webhook_replays_outcome_known CHECK (outcome IN ('completed', 'canceled', 'failed')),
      CONSTRAINT webhook_replays_ended_has_outcome CHECK ((ended_at IS NULL) = (outcome IS NULL))
    );
    COMMENT ON TABLE webhook_replays IS 'repeats of a part of a feed to one endpoint; 30 days after their end';
    COMMENT ON COLUMN webhook_replays.position IS 'every event of the replay up to this number was delivered or skipped';
    COMMENT ON COLUMN webhook_replays.attempts IS 'failed attempts of the next event';
    COMMENT ON COLUMN webhook_replays.skipped_in_row IS 'events skipped since the last success';
    CREATE UNIQUE INDEX webhook_replays_one_running ON webhook_replays (environment_id, endpoint_id)
      WHERE ended_at IS NULL;
    CREATE INDEX webhook_replays_of_endpoint ON webhook_replays (environment_id, endpoint_id, replay_id);
    CREATE INDEX webhook_attempts_of_event ON webhook_attempts (environment_id, event_id);
    ALTER TABLE webhook_attempts DROP CONSTRAINT webhook_attempts_kind_known;
    ALTER TABLE webhook_attempts ADD CONSTRAINT webhook_attempts_kind_known
      CHECK (kind IN ('first', 'retry', 'ping', 'resend', 'replay'))`);
  const columns = `environment_id, replay_id, endpoint_id, from_sequence, to_sequence, types, selection, event_count, position,
                  delivered_count, skipped_count, attempts, skipped_in_row, next_attempt_at, created_at`;
  await knex.raw(`
    GRANT SELECT (${columns}, lease_id, leased_until, ended_at, outcome),
          INSERT (${columns}),
          UPDATE (position, delivered_count, skipped_count, attempts, skipped_in_row, next_attempt_at, lease_id,
                  leased_until, ended_at, outcome)
      ON webhook_replays TO contribution_service;
    GRANT DELETE ON webhook_replays TO contribution_service;
    GRANT SELECT (written_at) ON feed_events TO contribution_service;
    GRANT SELECT, INSERT (${columns}) ON webhook_replays TO contribution_operator;
    GRANT UPDATE (failure_count, failing_since, next_probe_at, probe_count, notice_count)
      ON webhook_endpoints TO contribution_operator;
    GRANT SELECT ON webhook_retries TO contribution_operator`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    REVOKE SELECT (written_at) ON feed_events FROM contribution_service;
    REVOKE SELECT ON webhook_retries FROM contribution_operator;
    REVOKE UPDATE (failure_count, failing_since, next_probe_at, probe_count, notice_count)
      ON webhook_endpoints FROM contribution_operator;
    DELETE FROM webhook_attempts WHERE kind = 'replay';
    ALTER TABLE webhook_attempts DROP CONSTRAINT webhook_attempts_kind_known;
    ALTER TABLE webhook_attempts ADD CONSTRAINT webhook_attempts_kind_known
      CHECK (kind IN ('first', 'retry', 'ping', 'resend'));
    DROP INDEX webhook_attempts_of_event;
    DROP TABLE webhook_replays`);
}
