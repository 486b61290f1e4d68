import knex, { type Knex } from 'knex';

import { createKnexConfig } from '../../../../src/db/migrations/knex-config';
import { databaseName } from '../world';
import type { FaultKind } from './kind';

const mostAttempts = 30;

/** What a migration of a later version may do to tables in use: add a column and an index. */
const migration: Knex.Migration = {
  async up(database) {
    await database.raw('ALTER TABLE transactions ADD COLUMN note text');
    await database.raw('ALTER TABLE supports ADD COLUMN note text');
  },
  async down(database) {
    await database.raw('ALTER TABLE supports DROP COLUMN note');
    await database.raw('ALTER TABLE transactions DROP COLUMN note');
  },
};

const migrations: Knex.MigratorConfig = {
  // Not one of the service's migrations: a restarted service would reject an unknown one.
  tableName: 'faults_migrations',
  migrationSource: {
    getMigrations: () => Promise.resolve(['add_note']),
    getMigrationName: (name: string) => name,
    getMigration: () => Promise.resolve(migration),
  },
};

/**
 * A migration that does not get its lock within a second times out and is run again, as the message
 * to the operator says.
 */
async function untilDone(step: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await step();
      return;
    } catch (error) {
      if (attempt === mostAttempts || (error as { code?: string }).code !== '55P03') throw error;
    }
  }
}

export const migrated: FaultKind = {
  name: 'migration',
  async inject({ pair }) {
    const hitAt = Date.now();
    const database = knex(createKnexConfig(pair.primary.url(databaseName)));
    try {
      await untilDone(() => database.migrate.latest(migrations));
      await untilDone(() => database.migrate.down(migrations));
    } finally {
      await database.destroy();
    }
    return { hitAt };
  },
};
