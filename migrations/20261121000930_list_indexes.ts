import type { Knex } from 'knex';

/**
 * What a page of the list of contributions reads is what it shows, also when it asks for those that
 * are pending, or for those of a project: by creation alone, a company with millions of completed
 * ones has all of them read to find the first that is pending.
 */
const indexes = {
  transactions_pending_by_creation: `(environment_id, created_at, transaction_id) WHERE status = 'pending'`,
  transactions_by_project: '(environment_id, project_id, created_at, transaction_id)',
};

// An index is built while others write.
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await withoutLockTimeout(knex, async () => {
    for (const [name, columns] of Object.entries(indexes)) {
      // Of a run that was cut off an index is left that is never used.
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
 * It waits for transactions that began before it, however long they take, and stands in nobody's
 * way meanwhile.
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
