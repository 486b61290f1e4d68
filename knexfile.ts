import type { Knex } from 'knex';

import { loadConfig, ownerUrlOf } from './src/config';
import { startEmbeddedPostgres } from './src/db/embedded/embedded-postgres';
import { createKnexConfig } from './src/db/knex-config';

/**
 * For `npm run migrate`, `npm run seed` and the other commands of Knex: as the role that owns the
 * schema, on the database of DATABASE_URL or on the embedded one of this checkout, which is stopped again unless the service
 * has it open.
 */
export default async function knexConfig(): Promise<Knex.Config> {
  const config = loadConfig(process.env);
  const ownerUrl = ownerUrlOf(config);
  if (ownerUrl !== undefined) return createKnexConfig(ownerUrl);
  const postgres = await startEmbeddedPostgres({ dataDirectory: config.DATA_DIRECTORY });
  if (postgres.origin !== 'attached') {
    // Knex's command line ends with process.exit, which waits for nobody: the server shuts down by itself.
    process.once('exit', () => process.kill(postgres.processId, 'SIGINT'));
  }
  return createKnexConfig(postgres.connectionString('owner'));
}
