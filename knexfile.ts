import './src/startup/load-environment';

import type { Knex } from 'knex';

import { loadConfig, ownerUrlOf } from './src/config';
import { startEmbeddedPostgres } from './src/db/embedded-database';
import { createKnexConfig } from './src/db/migrations/knex-config';

/** Knex's own command would migrate without the lock and the patience of `npm run migrate`. */
const elsewhere: Knex.MigrationSource<never> = {
  getMigrations: () => Promise.reject(new Error('Use npm run migrate, migrate:status or migrate:down.')),
  getMigrationName: () => '',
  getMigration: () => Promise.reject(new Error('Use npm run migrate.')),
};

/**
 * For Knex's own command line (`npx knex seed:run`): as the role that owns the schema, on the
 * database of DATABASE_URL or on the embedded one of this checkout, which is stopped again unless
 * the service has it open.
 */
export default async function knexConfig(): Promise<Knex.Config> {
  const config = loadConfig(process.env);
  const ownerUrl = ownerUrlOf(config);
  if (ownerUrl !== undefined) return seeding(ownerUrl);
  const postgres = await startEmbeddedPostgres({ dataDirectory: config.DATA_DIRECTORY });
  if (postgres.origin !== 'attached') {
    // Knex's command line ends with process.exit, which waits for nobody: the server shuts down by
    // itself.
    process.once('exit', () => process.kill(postgres.processId, 'SIGINT'));
  }
  return seeding(postgres.connectionString('owner'));
}

function seeding(ownerUrl: string): Knex.Config {
  return { ...createKnexConfig(ownerUrl), migrations: { migrationSource: elsewhere } };
}
