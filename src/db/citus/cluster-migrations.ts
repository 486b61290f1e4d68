import type { Knex } from 'knex';

import { MigrationError } from '../migrations/migration-error';
import { restoreFunctions } from './delegate-functions';
import { distribute, isDistributed } from './distribute';
import { closeFunctions } from './public-functions';

/** Citus 12 rejects grants on columns. */
const oldestVersion = 13;

/**
 * Settings of the session. A new table with a foreign key to a reference table stays a table of
 * PostgreSQL, which can be distributed after the migrations.
 */
const settings = `
  SELECT set_config('citus.enable_local_reference_table_foreign_keys', 'off', false),
         set_config('citus.multi_shard_modify_mode', 'sequential', false),
         set_config('citus.enable_unsafe_triggers', 'on', false)`;

/**
 * Prepares a session for migrations if this database is the coordinator of a cluster.
 *
 * @returns what `npm run migrate` does there; each part returns lines of its report. Undefined on
 *   PostgreSQL without Citus
 * @throws MigrationError on a worker, and for a version of Citus that cannot store the schema
 */
export async function prepareCluster(database: Knex) {
  const { rows } = await database.raw<{ rows: { version: string }[] }>(
    `SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`,
  );
  const [extension] = rows;
  if (extension === undefined) return undefined;
  if (Number.parseInt(extension.version, 10) < oldestVersion) {
    throw new MigrationError(
      `This database has Citus ${extension.version}. Update it to Citus ${oldestVersion} or newer. Nothing was changed.`,
    );
  }
  const { rows: groups } = await database.raw<{ rows: { id: number }[] }>(
    'SELECT groupid AS id FROM pg_dist_local_group',
  );
  if (groups[0]?.id !== 0) {
    throw new MigrationError(
      'This database is a worker of a Citus cluster. Set DATABASE_OWNER_URL to the coordinator. Nothing was changed.',
    );
  }
  await database.raw(settings);
  return {
    distribute,
    /** Sets again what replaced functions and new privileges lack. */
    async restore(transaction: Knex): Promise<string[]> {
      return (await isDistributed(transaction)) ? restoreFunctions(transaction) : [];
    },
    closeFunctions,
  };
}

export type ClusterMigrations = NonNullable<Awaited<ReturnType<typeof prepareCluster>>>;
