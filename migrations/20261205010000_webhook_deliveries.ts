import type { Knex } from 'knex';

/**
 * Deliveries outside the order of the cursor: failed ones, and those that wait behind them. The
 * attempts are logged for 30 days. A delivery that succeeds at once has a row in neither.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE webhook_retries (
      environment_id integer NOT NULL,
      endpoint_id uuid NOT NULL,
      event_id uuid NOT NULL,
      sequence bigint NOT NULL,
      transaction_id text COLLATE "C" NOT NULL,
      attempts smallint NOT NULL,
      outage_attempts smallint NOT NULL,
      next_attempt_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      CONSTRAINT webhook_retries_pkey PRIMARY KEY (environment_id, endpoint_id, event_id),
      CONSTRAINT webhook_retries_endpoint_fkey FOREIGN KEY (environment_id, endpoint_id)
        REFERENCES webhook_endpoints (environment_id, endpoint_id) ON DELETE CASCADE,
      CONSTRAINT webhook_retries_attempts_range CHECK (outage_attempts BETWEEN 0 AND attempts)
    );
    COMMENT ON TABLE webhook_retries IS 'deliveries that failed, and deliveries that wait behind them';
    COMMENT ON COLUMN webhook_retries.sequence IS
      'it waits for the retries of the same contribution with a lower number';
    COMMENT ON COLUMN webhook_retries.outage_attempts IS
      'attempts since the last success of the endpoint; after an outage, they do not count';
    CREATE INDEX webhook_retries_in_order
      ON webhook_retries (environment_id, endpoint_id, transaction_id, sequence);

    CREATE TABLE webhook_attempts (
      environment_id integer NOT NULL,
      attempt_id uuid NOT NULL,
      endpoint_id uuid NOT NULL,
      event_id uuid NOT NULL,
      attempted_at timestamptz NOT NULL,
      kind text NOT NULL,
      attempt smallint NOT NULL,
      outcome text NOT NULL,
      failure text,
      status smallint,
      duration_ms integer NOT NULL,
      response text,
      CONSTRAINT webhook_attempts_pkey PRIMARY KEY (environment_id, attempt_id),
      CONSTRAINT webhook_attempts_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT webhook_attempts_kind_known CHECK (kind IN ('first', 'retry', 'ping', 'resend')),
      CONSTRAINT webhook_attempts_outcome_known CHECK (outcome IN ('delivered', 'failed', 'exhausted')),
      CONSTRAINT webhook_attempts_failure_known CHECK ((failure IS NULL) = (outcome = 'delivered'))
    );
    COMMENT ON TABLE webhook_attempts IS
      'failed deliveries, and deliveries that follow a failure or that a partner requested; 30 days';
    COMMENT ON COLUMN webhook_attempts.response IS 'the first 1,024 bytes of the response to a failure';
    CREATE INDEX webhook_attempts_of_endpoint ON webhook_attempts (environment_id, endpoint_id, attempt_id);
    CREATE INDEX webhook_attempts_by_time ON webhook_attempts (attempted_at)`);
  await knex.raw('GRANT SELECT ON webhook_endpoints, webhook_attempts TO contribution_operator');
  await knex.raw(
    'GRANT UPDATE (disabled_at, disabled_reason, updated_at) ON webhook_endpoints TO contribution_operator',
  );
  await knex.raw(`
    GRANT SELECT (environment_id, endpoint_id, event_id, sequence, transaction_id, attempts, outage_attempts,
                  next_attempt_at),
          INSERT (environment_id, endpoint_id, event_id, sequence, transaction_id, attempts, outage_attempts,
                  next_attempt_at, created_at),
          UPDATE (attempts, outage_attempts, next_attempt_at)
      ON webhook_retries TO contribution_service;
    GRANT SELECT (environment_id, attempt_id, endpoint_id, event_id, attempted_at, kind, attempt, outcome, failure,
                  status, duration_ms, response),
          INSERT (environment_id, attempt_id, endpoint_id, event_id, attempted_at, kind, attempt, outcome, failure,
                  status, duration_ms, response)
      ON webhook_attempts TO contribution_service;
    GRANT DELETE ON webhook_retries, webhook_attempts TO contribution_service;
    GRANT SELECT (lease_id, leased_until, failure_count, probe_count),
          UPDATE (position, delivered_at, lease_id, leased_until)
      ON webhook_endpoints TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE webhook_attempts, webhook_retries');
  await knex.raw(
    'REVOKE SELECT, UPDATE (disabled_at, disabled_reason, updated_at) ON webhook_endpoints FROM contribution_operator',
  );
  await knex.raw(`
    REVOKE SELECT (lease_id, leased_until, failure_count, probe_count),
           UPDATE (position, delivered_at, lease_id, leased_until)
      ON webhook_endpoints FROM contribution_service`);
}
