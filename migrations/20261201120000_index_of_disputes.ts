import type { Knex } from 'knex';

/** Outside a transaction, PostgreSQL builds the index while contributions go on. */
export const config = { transaction: false };

/**
 * The events that disputed_events reads are few among all. Creates and completions add no entry to
 * this index.
 */
export async function up(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: [{ lock_timeout: string }] }>('SHOW lock_timeout');
  // An attempt that failed leaves an invalid index.
  await knex.raw('DROP INDEX IF EXISTS events_of_disputes');
  // Waits for transactions that began before, such as a backup. Nobody waits for it.
  await knex.raw(`SET lock_timeout = '30min'`);
  try {
    await knex.raw(
      `CREATE INDEX CONCURRENTLY events_of_disputes ON events (environment_id, transaction_id)
        WHERE type IN ('contribution.completion_refused', 'contribution.completion_contested')
           OR (type = 'contribution.completion_repeated' AND evidence \\? 'net_amount_is_zero')`,
    );
  } finally {
    await knex.raw(`SET lock_timeout = '${rows[0].lock_timeout}'`);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX events_of_disputes');
}
