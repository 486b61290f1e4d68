import { createRequire } from 'node:module';
import path from 'node:path';

import type { Knex } from 'knex';

import { sessionConfig } from '../session-settings';
import { knownMigrations, migrationsDirectory } from './schema-state';

// Loads migrations by name at run time: as TypeScript if this file runs as TypeScript, otherwise
// from the build.
const load = createRequire(__filename);

/**
 * Names migrations without an extension, so that the database stores the same names for TypeScript
 * and compiled migrations.
 */
const migrationSource: Knex.MigrationSource<{ file: string }> = {
  getMigrations: () => Promise.resolve(knownMigrations().map((file) => ({ file }))),
  getMigrationName: ({ file }) => file,
  getMigration: ({ file }) => Promise.resolve(load(path.join(migrationsDirectory, file)) as Knex.Migration),
};

/** Shown in pg_stat_activity for migrations and seeds. */
export const migrationsApplicationName = 'contribution-service migrations';

/** The Knex configuration for seeds, and the base of the one for migrations. */
export function createKnexConfig(connectionString: string): Knex.Config {
  return {
    client: 'pg',
    connection: sessionConfig({ connectionString, application_name: migrationsApplicationName }),
    pool: {
      min: 0,
      max: 2,
      // Seeds give up after 1 s instead of making other sessions wait behind them. Migrations use
      // another pool, with a shorter lock timeout and retries (`migration-session.ts`).
      afterCreate: (
        connection: { query: (sql: string, done: (error?: Error) => void) => void },
        done: () => void,
      ) => {
        connection.query(`SET lock_timeout = '1s'`, done);
      },
    },
    migrations: { migrationSource },
    seeds: { directory: path.join(migrationsDirectory, '..', 'seeds'), loadExtensions: ['.js', '.ts'] },
  };
}
