import type { Knex } from 'knex';

import { MigrationError } from '../migrations/migration-error';

/** Citus 12 rejects grants on columns. */
const oldestVersion = 13;

/**
 * Whether this database is the coordinator of a Citus cluster. False on PostgreSQL without Citus.
 *
 * @throws MigrationError on a worker, and for a version of Citus that cannot store the schema
 */
export async function isCoordinator(database: Knex): Promise<boolean> {
  const { rows } = await database.raw<{ rows: { version: string }[] }>(
    `SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`,
  );
  const [extension] = rows;
  if (extension === undefined) return false;
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
  return true;
}
