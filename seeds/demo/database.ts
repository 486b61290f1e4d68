import type { Knex } from 'knex';

import { createDatabase, type Database } from '../../src/db/database';

/** Runs the service's own statements on the database that Knex seeds, so that the demo's rows are made as real ones are. */
export async function withSeedDatabase<T>(knex: Knex, use: (database: Database) => Promise<T>): Promise<T> {
  const { connectionString } = (knex.client as { config: { connection: { connectionString: string } } })
    .config.connection;
  const database = createDatabase(
    {
      connectionString,
      poolSize: 2,
      acquireTimeoutMs: 5_000,
      statementTimeoutMs: 10_000,
      lockTimeoutMs: 1_000,
      idleInTransactionTimeoutMs: 5_000,
      answerTimeoutMs: 20_000,
    },
    () => undefined,
  );
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}
