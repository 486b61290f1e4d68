import type { Knex } from 'knex';

/**
 * The sums of each day give the balance within a statement of several days. If a statement that
 * overlaps it states another balance, one of them lacks money.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE statements ADD COLUMN daily_cents jsonb;
    COMMENT ON COLUMN statements.daily_cents IS
      'the booked sum of each day with entries, in cents; null for a single day, or if it is unknown';
    GRANT SELECT (daily_cents), INSERT (daily_cents) ON statements TO contribution_service;
    -- For the command statements import.
    GRANT INSERT (daily_cents) ON statements TO contribution_operator`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE statements DROP COLUMN daily_cents');
}
