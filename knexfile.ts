import type { Knex } from 'knex';

import { loadConfig } from './src/config';
import { startEmbeddedPostgres } from './src/db/embedded/embedded-postgres';
import { createKnexConfig } from './src/db/knex-config';

/**
 * For `npm run migrate`, `npm run seed` and the other commands of Knex: the database of DATABASE_URL, or the embedded
 * one of this checkout, which is stopped again unless the service has it open.
 */
export default async function knexConfig(): Promise<Knex.Config> {
  const config = loadConfig(process.env);
  if (config.DATABASE_URL !== undefined) return createKnexConfig(config.DATABASE_URL);
  const postgres = await startEmbeddedPostgres({ dataDirectory: config.DATA_DIRECTORY });
  if (postgres.origin !== 'attached') {
    // Knex's command line ends with process.exit, which waits for nobody: the server shuts down by itself.
    process.once('exit', () => process.kill(postgres.processId, 'SIGINT'));
  }
  return createKnexConfig(postgres.connectionString());
}
