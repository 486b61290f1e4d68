import { type ClientBase, DatabaseError as PostgresError } from 'pg';

import { isOfMovedShard, outcomeOfLostWorker, violatedConstraint } from './citus/citus-errors';
import { mayBeCommitted } from './citus/uncertain-timeouts';
import { withReplyTimeout } from './pool/reply-timeout';

export { describeWarnings, isOfUnreachableWorker as isOfAnotherServer } from './citus/citus-errors';

/**
 * The effect of a failed query. `nothing`: it did not run, or PostgreSQL rolled it back.
 * `unknown`: it was sent, but no conclusive reply came, so it may have been committed.
 */
export type Outcome = 'nothing' | 'unknown';

/**
 * Why the database failed, apart from the caller's own mistakes.
 *
 * - `unavailable`: it cannot be reached, or its connection was lost;
 * - `no_room`: it lacks disk space or memory;
 * - `read_only`: it accepts no writes;
 * - `unconfirmed`: it does not confirm commits, so no further ones are sent;
 * - `timeout`: it did not finish in time;
 * - `conflict`: concurrent transactions conflicted;
 * - `pool_exhausted`: this process has no free connection.
 */
export type FailureReason =
  'unavailable' | 'no_room' | 'read_only' | 'unconfirmed' | 'timeout' | 'conflict' | 'pool_exhausted';

/** The database failed to execute a query. A retry may succeed. */
export class DatabaseFailure extends Error {
  /** The name of the query that failed, for the log. */
  queryName?: string;

  constructor(
    readonly reason: FailureReason,
    readonly outcome: Outcome,
    cause: unknown,
  ) {
    super(`database ${reason}, outcome ${outcome}`, { cause });
    this.name = 'DatabaseFailure';
  }
}

/** A constraint of the schema rejected the query, which changed nothing. */
export class ConstraintViolation extends Error {
  constructor(
    readonly constraint: string,
    cause: unknown,
  ) {
    super(`constraint ${constraint}`, { cause });
    this.name = 'ConstraintViolation';
  }
}

export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof ConstraintViolation && error.constraint === constraint;

/*
 * SQLSTATE codes from https://www.postgresql.org/docs/current/errcodes-appendix.html. Messages are
 * no substitute: the server translates them, and even the severity, into its own language.
 */
const timeouts = new Set([
  '57014', // query_canceled: statement_timeout
  '55P03', // lock_not_available: lock_timeout
]);
/** PostgreSQL rolled it back because it conflicted with another one. A repeat may succeed. */
const conflicts = new Set([
  '40P01', // deadlock_detected
  '40001', // serialization_failure
]);
const rolledBack = new Set([
  '57P03', // cannot_connect_now: starting up or shutting down
  '26000', // invalid_sql_statement_name: the connection's prepared statements were deallocated
]);
/**
 * The SQLSTATE codes of replies that are not from the server that ran the query. They are from
 * a pooler, or from a coordinator that lost its worker.
 */
const connectionLost = /^(08|40003)/;
/**
 * read_only_sql_transaction: this server has become a standby, or an administrator or a hosting
 * company has made it read-only. They do so when its disk is almost full.
 */
const readOnly = '25006';
/** insufficient_resources: disk full, out of memory, a configured limit. */
const noRoom = /^53(?!300)/;
/**
 * The functions that enlarge a file of PostgreSQL. For a quota and for the largest size of a file,
 * the code is only XX000, internal_error.
 */
const enlargesFile = new Set(['mdextend', 'mdzeroextend', 'BufFileDumpBuffer']);
/**
 * I/O errors and too many connections. An ERROR is rolled back; after a FATAL or PANIC the outcome
 * is unknown.
 */
const systemError = /^(58|53300)/;

/** The SQLSTATE out_of_memory. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof PostgresError && error.code === '53200';

/** Translates an error from a query on an established connection. */
export function translateQueryError(error: unknown): Error {
  if (!(error instanceof PostgresError) || error.severity === 'FATAL' || error.severity === 'PANIC') {
    // The connection is lost, and the reply may be lost with it.
    return new DatabaseFailure('unavailable', 'unknown', error);
  }
  const code = error.code ?? '';
  if (isOfMovedShard(error)) return new DatabaseFailure('unavailable', 'nothing', error);
  const constraint = violatedConstraint(error);
  if (constraint !== undefined) return new ConstraintViolation(constraint, error);
  if (conflicts.has(code)) return new DatabaseFailure('conflict', 'nothing', error);
  if (timeouts.has(code)) return new DatabaseFailure('timeout', 'nothing', error);
  if (code === readOnly) return new DatabaseFailure('read_only', 'nothing', error);
  // "cached plan must not change result type": the query was prepared before a migration and no
  // longer works on this connection.
  if (rolledBack.has(code) || error.routine === 'RevalidateCachedQuery') {
    return new DatabaseFailure('unavailable', 'nothing', error);
  }
  const outcome = error.severity === 'ERROR' ? outcomeOfLostWorker(error) : undefined;
  if (outcome !== undefined) return new DatabaseFailure('unavailable', outcome, error);
  // A translated severity is not recognized as ERROR. The outcome is then `unknown`, the safe
  // choice.
  const isError = error.severity === 'ERROR';
  if (noRoom.test(code) || (enlargesFile.has(error.routine ?? '') && !systemError.test(code)))
    return new DatabaseFailure('no_room', isError ? 'nothing' : 'unknown', error);
  if (connectionLost.test(code) || !isError) return new DatabaseFailure('unavailable', 'unknown', error);
  return systemError.test(code) ? new DatabaseFailure('unavailable', 'nothing', error) : error;
}

/**
 * The failure of a write. If it timed out but may be committed, the outcome becomes `unknown`.
 *
 * @param client the connection of the write, which is asked about a timeout
 */
export async function failureOfWrite(
  failure: Error,
  client: ClientBase,
  replyTimeoutMs: number,
): Promise<Error> {
  if (!(failure instanceof DatabaseFailure) || failure.reason !== 'timeout') return failure;
  try {
    const isUncertain = await withReplyTimeout(mayBeCommitted(failure.cause, client), replyTimeoutMs);
    return isUncertain ? new DatabaseFailure('timeout', 'unknown', failure.cause) : failure;
  } catch (error) {
    return new DatabaseFailure('unavailable', 'unknown', error);
  }
}

/**
 * The SQLSTATE `warning`. A commit that is cancelled while it waits for a synchronous standby
 * succeeds with a warning of this code. No other part of our queries warns.
 */
export const notReplicated = '01000';

/** Translates a failure to open a connection. The query was never sent. */
export const translateConnectError = (error: unknown): DatabaseFailure =>
  new DatabaseFailure('unavailable', 'nothing', error);

/** The failure of a transaction that only reads, or that is rolled back: it changed nothing. */
export const withoutEffect = (error: unknown): unknown =>
  error instanceof DatabaseFailure ? new DatabaseFailure(error.reason, 'nothing', error.cause) : error;
