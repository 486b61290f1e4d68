import { DatabaseError as PostgresError } from 'pg';

import type { DatabaseFailure } from '../errors';
import type { Database } from '../pool/database';
import { ReplyTimeout } from '../pool/reply-timeout';
import { readIsCluster } from './has-citus';
import { isOfMovedShard, outcomeOfLostWorker } from './citus-errors';

/**
 * Whether a write failed because of the worker of its environment. The coordinator responds, so
 * other environments can be served. Never true on one server.
 */
export async function isOfOneWorker(
  { cause, outcome, reason }: DatabaseFailure,
  database: Pick<Database, 'runUnprepared'>,
): Promise<boolean> {
  // No reply came. A worker that hangs can keep the coordinator's session waiting.
  if (cause instanceof ReplyTimeout) return readIsCluster(database).catch(() => false);
  // A timeout of a coordinator leaves the outcome unknown. A timeout of PostgreSQL changed nothing.
  if (reason === 'timeout') return outcome === 'unknown';
  if (!(cause instanceof PostgresError) || cause.severity !== 'ERROR') return false;
  return isOfMovedShard(cause) || outcomeOfLostWorker(cause) !== undefined;
}
