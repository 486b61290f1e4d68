import type { QueryResultRow } from 'pg';

/** The condition in SQL that the server is the coordinator of a cluster. */
export const isCluster = `EXISTS (SELECT FROM pg_extension x WHERE x.extname = 'citus')`;

/** A `Database`, whose file depends on this one. */
interface Reader {
  runUnprepared<Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]>;
}

/** @throws DatabaseFailure if the server does not respond */
export async function readIsCluster(database: Reader): Promise<boolean> {
  const [row] = await database.runUnprepared<{ is_cluster: boolean }>(
    `SELECT ${isCluster} AS is_cluster`,
    [],
  );
  return row?.is_cluster === true;
}
