import type { Knex } from 'knex';

/** Finds the few retries that have failed since the last success of their endpoint. */
// CREATE INDEX CONCURRENTLY cannot run in a transaction. It does not block writers.
export const config = { transaction: false };

const name = 'webhook_retries_of_outage';

export async function up(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { before: string }[] }>(
    `SELECT current_setting('lock_timeout') AS before`,
  );
  // The build waits for all older transactions, and blocks nobody meanwhile.
  await knex.raw('SET lock_timeout = 0');
  try {
    // A run that was interrupted leaves an invalid index.
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(
      `CREATE INDEX CONCURRENTLY ${name}
         ON webhook_retries (environment_id, endpoint_id) WHERE outage_attempts > 0`,
    );
  } finally {
    await knex.raw(`SELECT set_config('lock_timeout', ?, false)`, [rows[0]?.before ?? '0']);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
