import type { Knex } from 'knex';

/**
 * With these indexes, a page of contributions reads only the rows that it shows, also if filtered
 * by pending or by project. With the index on creation alone, the page of a company would read
 * millions of completed rows to find the first pending one.
 */
const indexes = {
  transactions_pending_by_creation: `(environment_id, created_at, transaction_id) WHERE status = 'pending'`,
  transactions_by_project: '(environment_id, project_id, created_at, transaction_id)',
};

// CREATE INDEX CONCURRENTLY cannot run in a transaction. It does not block writers.
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await withoutLockTimeout(knex, async () => {
    for (const [name, columns] of Object.entries(indexes)) {
      // A run that was interrupted leaves an invalid index.
      await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON transactions ${columns}`);
    }
    await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS transactions_pending');
  });
}

export async function down(knex: Knex): Promise<void> {
  await withoutLockTimeout(knex, async () => {
    await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS transactions_pending');
    await knex.raw(
      `CREATE INDEX CONCURRENTLY transactions_pending ON transactions (created_at) WHERE status = 'pending'`,
    );
    for (const name of Object.keys(indexes)) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  });
}

/**
 * The build waits for all older transactions, however long they take, and blocks nobody meanwhile.
 */
async function withoutLockTimeout(knex: Knex, work: () => Promise<void>): Promise<void> {
  const { rows } = await knex.raw<{ rows: { before: string }[] }>(
    `SELECT current_setting('lock_timeout') AS before`,
  );
  await knex.raw('SET lock_timeout = 0');
  try {
    await work();
  } finally {
    await knex.raw(`SELECT set_config('lock_timeout', ?, false)`, [rows[0]?.before ?? '0']);
  }
}
