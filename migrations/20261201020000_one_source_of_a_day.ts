import type { Knex } from 'knex';

const former = [
  ...['entry_references', 'matching_progress', 'reconciliation_decisions', 'allocations', 'statement_money'],
  ...['statement_entries', 'entry_sources', 'statements', 'statement_files'],
];
const formerFunctions = [
  'put_statement_entries(integer, jsonb, jsonb, jsonb)',
  'decide_entry(integer, uuid, uuid, text, jsonb, text, text)',
];

/**
 * Drops the tables of the former matching of statements. It stored no texts, so its files must be
 * uploaded again. The counts of open positions move to the progress of the new one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE comparing_progress
      ADD COLUMN open_7_to_14_days integer NOT NULL DEFAULT 0,
      ADD COLUMN open_14_to_30_days integer NOT NULL DEFAULT 0,
      ADD COLUMN open_over_30_days integer NOT NULL DEFAULT 0,
      ADD COLUMN positions_due_at timestamptz NOT NULL DEFAULT '-infinity'`);
  await knex.raw(`
    COMMENT ON COLUMN comparing_progress.open_7_to_14_days IS
      'open positions of contributions that were created so long before the last count'`);
  await knex.raw(`
    COMMENT ON COLUMN comparing_progress.positions_due_at IS
      'the next count of open positions; a process that counts moves it first'`);
  // Databases that were created after this migration never had them.
  for (const table of former) await knex.raw('DROP TABLE IF EXISTS ??', [table]);
  for (const name of formerFunctions) await knex.raw(`DROP FUNCTION IF EXISTS ${name}`);
}

/** The former tables do not come back. The release before this one needs a backup of before. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE comparing_progress
      DROP COLUMN open_7_to_14_days, DROP COLUMN open_14_to_30_days,
      DROP COLUMN open_over_30_days, DROP COLUMN positions_due_at`);
}
