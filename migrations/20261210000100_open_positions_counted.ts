import type { Knex } from 'knex';

const counts = 'open_7_to_14_days, open_14_to_30_days, open_over_30_days, positions_due_at';

/** How many positions of each environment with statements have been open for long. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE matching_progress
      ADD COLUMN open_7_to_14_days integer NOT NULL DEFAULT 0,
      ADD COLUMN open_14_to_30_days integer NOT NULL DEFAULT 0,
      ADD COLUMN open_over_30_days integer NOT NULL DEFAULT 0,
      ADD COLUMN positions_due_at timestamptz NOT NULL DEFAULT '-infinity';
    COMMENT ON COLUMN matching_progress.positions_due_at IS 'the next count of open positions; a process that counts moves it first';
    COMMENT ON COLUMN matching_progress.open_7_to_14_days IS 'open positions of contributions that were created so long before the last count';
    GRANT SELECT (${counts}), UPDATE (${counts}) ON matching_progress TO contribution_service;
    GRANT SELECT (environment_id, ${counts}) ON matching_progress TO contribution_operator`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE matching_progress DROP COLUMN open_7_to_14_days, DROP COLUMN open_14_to_30_days,
      DROP COLUMN open_over_30_days, DROP COLUMN positions_due_at`);
}
