import type { Knex } from 'knex';

/** The second version of the rules queues the days that the first one compared. */
export const up = (): Promise<void> => Promise.resolve();

/** The first version of the rules compares the days of the second one again. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('UPDATE account_days SET rules = 0 WHERE rules > 1');
}
