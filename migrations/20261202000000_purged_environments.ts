import type { Knex } from 'knex';

/** When an operator deleted the rows of an environment that a reset had retired. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE environments ADD COLUMN purged_at timestamptz');
  await knex.raw(`ALTER TABLE environments ADD CONSTRAINT environments_purged_after_seven_days
    CHECK (purged_at IS NULL OR (retired_at IS NOT NULL AND purged_at >= retired_at + interval '7 days'))`);
  await knex.raw(`COMMENT ON COLUMN environments.purged_at IS
    'when an operator deleted the rows of this retired environment; the environment itself stays'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE environments DROP COLUMN purged_at');
}
