import type { Knex } from 'knex';

import type { Database } from '../../src/db/pool/database';
import { createOperatorDatabase } from '../../src/db/operator-database';

/** Gives seeds the service's own stores, so demo rows are created in the same way as real ones. */
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
