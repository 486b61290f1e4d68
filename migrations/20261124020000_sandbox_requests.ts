import type { Knex } from 'knex';

/**
 * The request log of test environments. It contains no secret and no personal data: the service
 * removes both before it writes. The service deletes old rows.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE sandbox_requests (
      environment_id integer NOT NULL,
      received_at timestamptz NOT NULL,
      entry_id uuid NOT NULL,
      request_id text NOT NULL,
      method text NOT NULL,
      path text,
      operation text,
      status integer,
      error_code text,
      duration_ms double precision NOT NULL,
      api_key text NOT NULL,
      idempotency_key text,
      details jsonb NOT NULL,
      CONSTRAINT sandbox_requests_pkey PRIMARY KEY (environment_id, received_at, entry_id),
      CONSTRAINT sandbox_requests_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id)
    );
    COMMENT ON TABLE sandbox_requests IS 'the last requests of each test environment, for partners who debug';
    COMMENT ON COLUMN sandbox_requests.details IS
      'query, body, error detail and errors, with secrets and personal data removed'`);
  await knex.raw(`
    GRANT SELECT (environment_id, received_at, entry_id, request_id, method, path, operation, status, error_code,
                  duration_ms, api_key, idempotency_key, details),
          INSERT (environment_id, received_at, entry_id, request_id, method, path, operation, status, error_code,
                  duration_ms, api_key, idempotency_key, details)
      ON sandbox_requests TO contribution_service;
    GRANT DELETE ON sandbox_requests TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE sandbox_requests');
}
