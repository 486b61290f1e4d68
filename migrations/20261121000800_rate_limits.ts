import type { Knex } from 'knex';

/** Rate limits that operators set for one environment, instead of the configured ones. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The table is small (two rows per company), so the lock is short.
    ALTER TABLE environments
      ADD COLUMN requests_per_second integer,
      ADD COLUMN completions_per_second integer,
      ADD CONSTRAINT environments_requests_per_second_range CHECK (requests_per_second BETWEEN 1 AND 1000000),
      ADD CONSTRAINT environments_completions_per_second_range CHECK (completions_per_second BETWEEN 1 AND 1000000);
    COMMENT ON COLUMN environments.requests_per_second IS 'rate limit of each set of scopes; null: the service''s setting';
    COMMENT ON COLUMN environments.completions_per_second IS 'the same for completions';
    GRANT SELECT (requests_per_second, completions_per_second) ON environments TO contribution_service;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'ALTER TABLE environments DROP COLUMN requests_per_second, DROP COLUMN completions_per_second',
  );
}
