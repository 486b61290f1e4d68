import { type ClientBase, DatabaseError as PostgresError } from 'pg';

import { isCluster } from './has-citus';

/** The SQLSTATE query_canceled, which statement_timeout causes. */
const timeoutCode = '57014';
/** The function in which the coordinator reports the error of a worker. */
const passesOn = 'ReportResultError';

/** Whether the server that the service is connected to cancelled the query, not a worker. */
export const isOwnTimeout = (error: unknown): boolean =>
  error instanceof PostgresError && error.code === timeoutCode && error.routine !== passesOn;

/**
 * Whether a write may be committed although it failed with this error. A coordinator that cancels a
 * write does not wait for the worker, which may still commit it. A timeout of the worker itself, or
 * of PostgreSQL, changed nothing. So each timeout asks the server whether it is a coordinator.
 *
 * @param client the connection of the write
 * @throws if the server does not respond
 */
export async function mayBeCommitted(error: unknown, client: Pick<ClientBase, 'query'>): Promise<boolean> {
  if (!isOwnTimeout(error)) return false;
  const { rows } = await client.query(`SELECT WHERE ${isCluster}`);
  return rows.length > 0;
}
