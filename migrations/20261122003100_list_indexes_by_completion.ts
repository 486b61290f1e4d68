import type { Knex } from 'knex';

/**
 * With these indexes, a list by completion of one project or one user reads only the rows that it
 * shows. Without them, it reads all completions of the company in that time. Both indexes are
 * partial, so only completions add entries to them.
 */
const indexes = {
  transactions_by_project_completion:
    '(environment_id, project_id, completed_at, transaction_id) WHERE completed_at IS NOT NULL',
  transactions_by_user_completion:
    '(environment_id, user_id, completed_at, transaction_id) WHERE completed_at IS NOT NULL',
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
  });
}

export async function down(knex: Knex): Promise<void> {
  await withoutLockTimeout(knex, async () => {
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
