import './src/startup/load-environment';

import type { Knex } from 'knex';

import { readSettings, ownerUrlOf } from './src/read-settings';
import { startEmbeddedDatabase } from './src/db/embedded-database';
import { createKnexConfig } from './src/db/migrations/knex-config';

/**
 * Rejects migrations with Knex's own command, which lacks the locks and retries of
 * `npm run migrate`.
 */
const rejectMigrations: Knex.MigrationSource<never> = {
  getMigrations: () => Promise.reject(new Error('Use npm run migrate, migrate:status or migrate:down.')),
  getMigrationName: () => '',
  getMigration: () => Promise.reject(new Error('Use npm run migrate.')),
};

/**
 * Configures Knex's command line for seeds (`npx knex seed:run`), as the role that owns the schema.
 * If no database is configured, it uses the embedded one, and stops it at the end unless the
 * service is using it.
 */
export default async function knexConfig(): Promise<Knex.Config> {
  const config = readSettings(process.env);
  const ownerUrl = ownerUrlOf(config);
  if (ownerUrl !== undefined) return seedConfig(ownerUrl);
  const postgres = await startEmbeddedDatabase({ dataDirectory: config.DATA_DIRECTORY });
  if (postgres.origin !== 'attached') {
    // Knex ends with process.exit, which waits for no asynchronous work, so only send the signal.
    process.once('exit', () => process.kill(postgres.processId, 'SIGINT'));
  }
  return seedConfig(postgres.connectionString('owner'));
}

function seedConfig(ownerUrl: string): Knex.Config {
  return { ...createKnexConfig(ownerUrl), migrations: { migrationSource: rejectMigrations } };
}
