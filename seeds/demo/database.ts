import type { Knex } from 'knex';

import type { Database } from '../../src/db/pool/database';
import { createOperatorDatabase } from '../../src/db/operator-database';

/**
 * Runs the service's own statements on the database that Knex seeds, so that the demo's rows are
 * made as real ones are.
 */
export async function withSeedDatabase<T>(knex: Knex, use: (database: Database) => Promise<T>): Promise<T> {
  const { connectionString } = (knex.client as { config: { connection: { connectionString: string } } })
    .config.connection;
  const database = createOperatorDatabase(connectionString);
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}
