import type { Knex } from 'knex';

/**
 * These lookups begin with the id of the entry or contribution. With `environment_id` first, the
 * planner took them for other queries of tables without statistics, and read all rows of an
 * environment for each chunk of a day.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE line_outcomes DROP CONSTRAINT line_outcomes_entry_key');
  await knex.raw(
    'ALTER TABLE line_outcomes ADD CONSTRAINT line_outcomes_entry_key UNIQUE (entry_id, environment_id)',
  );
  await knex.raw('DROP INDEX line_allocations_by_transaction');
  await knex.raw(
    'CREATE INDEX line_allocations_by_transaction ON line_allocations (transaction_id, environment_id)',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE line_outcomes DROP CONSTRAINT line_outcomes_entry_key');
  await knex.raw(
    'ALTER TABLE line_outcomes ADD CONSTRAINT line_outcomes_entry_key UNIQUE (environment_id, entry_id)',
  );
  await knex.raw('DROP INDEX line_allocations_by_transaction');
  await knex.raw(
    'CREATE INDEX line_allocations_by_transaction ON line_allocations (environment_id, transaction_id)',
  );
}
