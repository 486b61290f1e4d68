import type { Knex } from 'knex';

/**
 * Faults that a company has armed for the operations of its test environment. They are rows, so
 * they survive a restart and every process uses them up together. A used one keeps its row, and
 * the next one of the same operation and kind replaces it. The table therefore does not grow.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE sandbox_faults (
      environment_id integer NOT NULL,
      environment_kind text NOT NULL DEFAULT 'test',
      operation text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL,
      times smallint NOT NULL,
      times_left smallint NOT NULL,
      delay_ms integer NOT NULL,
      armed_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      CONSTRAINT sandbox_faults_pkey PRIMARY KEY (environment_id, operation, kind),
      CONSTRAINT sandbox_faults_environment_fkey
        FOREIGN KEY (environment_id, environment_kind) REFERENCES environments (environment_id, kind),
      CONSTRAINT sandbox_faults_test_only CHECK (environment_kind = 'test'),
      CONSTRAINT sandbox_faults_times_range CHECK (times BETWEEN 1 AND 100),
      CONSTRAINT sandbox_faults_times_left_range CHECK (times_left BETWEEN 0 AND times),
      CONSTRAINT sandbox_faults_delay_range CHECK (delay_ms BETWEEN 0 AND 30000)
    );
    COMMENT ON TABLE sandbox_faults IS 'failures that a company has armed for its own test requests';
    COMMENT ON COLUMN sandbox_faults.operation IS 'the operationId of the OpenAPI document';
    GRANT SELECT (environment_id, operation, kind, times, times_left, delay_ms, armed_at, expires_at),
          INSERT (environment_id, operation, kind, times, times_left, delay_ms, armed_at, expires_at),
          UPDATE (times, times_left, delay_ms, armed_at, expires_at)
      ON sandbox_faults TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE sandbox_faults');
}
