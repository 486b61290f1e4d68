import type { Knex } from 'knex';

/**
 * With these indexes, a list with a bank_reference or a value_date reads only the rows that it
 * shows, in order of creation. Both are partial, so only completions add entries to them. The first
 * one replaces an index without the order.
 */
const indexes = {
  transactions_by_reference_creation:
    '(environment_id, bank_reference, created_at, transaction_id) WHERE bank_reference IS NOT NULL',
  transactions_by_value_date_creation:
    '(environment_id, value_date, created_at, transaction_id) WHERE value_date IS NOT NULL',
};
const replaced = {
  transactions_by_bank_reference: '(environment_id, bank_reference) WHERE bank_reference IS NOT NULL',
};

// CREATE INDEX CONCURRENTLY cannot run in a transaction. It does not block writers.
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await replace(knex, indexes, replaced);
}

export async function down(knex: Knex): Promise<void> {
  await replace(knex, replaced, indexes);
}

/**
 * Builds indexes and then drops others. The build waits for all older transactions, however long
 * they take, and blocks nobody meanwhile.
 */
async function replace(
  knex: Knex,
  built: Readonly<Record<string, string>>,
  dropped: Readonly<Record<string, string>>,
): Promise<void> {
  const { rows } = await knex.raw<{ rows: { before: string }[] }>(
    `SELECT current_setting('lock_timeout') AS before`,
  );
  await knex.raw('SET lock_timeout = 0');
  try {
    for (const [name, columns] of Object.entries(built)) {
      // A run that was interrupted leaves an invalid index.
      await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON transactions ${columns}`);
    }
    for (const name of Object.keys(dropped)) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  } finally {
    await knex.raw(`SELECT set_config('lock_timeout', ?, false)`, [rows[0]?.before ?? '0']);
  }
}
