import type { Knex } from 'knex';

/**
 * Creates an index without blocking writers. The migration must run without a transaction.
 *
 * @param name the index; what an interrupted run left of it is removed first
 * @param definition the table and the columns, and a condition if the index is partial
 */
export async function createIndexConcurrently(knex: Knex, name: string, definition: string): Promise<void> {
  const { rows } = await knex.raw<{ rows: { before: string }[] }>(
    `SELECT current_setting('lock_timeout') AS before`,
  );
  // The build waits for all older transactions, and blocks nobody meanwhile.
  await knex.raw('SET lock_timeout = 0');
  try {
    await dropIndexConcurrently(knex, name);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
  } finally {
    await knex.raw(`SELECT set_config('lock_timeout', ?, false)`, [rows[0]?.before ?? '0']);
  }
}

/** Drops an index if it exists, without blocking writers. */
export async function dropIndexConcurrently(knex: Knex, name: string): Promise<void> {
  await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
