import { createRequire } from 'node:module';
import path from 'node:path';

import type { Knex } from 'knex';

import { knownMigrations, migrationsDirectory } from './schema-state';

// Migrations are loaded by name at run time, from TypeScript or from the build, whichever this file
// is itself.
const load = createRequire(__filename);

/**
 * Migrations by name without an extension: the database remembers the same names whether they run
 * as TypeScript or compiled.
 */
const migrationSource: Knex.MigrationSource<{ file: string }> = {
  getMigrations: () => Promise.resolve(knownMigrations().map((file) => ({ file }))),
  getMigrationName: ({ file }) => file,
  getMigration: ({ file }) => Promise.resolve(load(path.join(migrationsDirectory, file)) as Knex.Migration),
};

/** By which the server's operator knows whoever changes the schema or seeds. */
export const migrationsApplicationName = 'contribution-service migrations';

/** How Knex reaches a database to change its schema or to seed it. */
export function createKnexConfig(connectionString: string): Knex.Config {
  return {
    client: 'pg',
    connection: { connectionString, application_name: migrationsApplicationName },
    pool: {
      min: 0,
      max: 2,
      // A migration that has to wait for a lock gives up instead of making everybody behind it
      // wait.
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
