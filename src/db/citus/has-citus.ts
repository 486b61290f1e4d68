import type { Database } from '../pool/database';

/**
 * Whether the server is the coordinator of a Citus cluster.
 *
 * @throws DatabaseFailure if it does not respond
 */
export async function readHasCitus(database: Pick<Database, 'runUnprepared'>): Promise<boolean> {
  const [row] = await database.runUnprepared<{ has_citus: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS has_citus`,
    [],
  );
  return row?.has_citus === true;
}
