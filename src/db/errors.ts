import { DatabaseError as PostgresError } from 'pg';

import { isOfMovedShard, outcomeOfLostWorker, violatedConstraint } from './citus/citus-errors';

/**
 * The effect of a failed statement. `nothing`: it did not run, or PostgreSQL rolled it back.
 * `unknown`: it was sent, but no conclusive reply came, so it may have been committed.
 */
export type Outcome = 'nothing' | 'unknown';

/** Why the database failed, apart from the caller's own mistakes. */
export type FailureReason = 'unavailable' | 'timeout' | 'pool_exhausted';

/** The database failed to execute a statement. A retry may succeed. */
export class DatabaseFailure extends Error {
  /** The name of the statement that failed, for the log. */
  statement?: string;

  constructor(
    readonly reason: FailureReason,
    readonly outcome: Outcome,
    cause: unknown,
  ) {
    super(`database ${reason}, outcome ${outcome}`, { cause });
    this.name = 'DatabaseFailure';
  }
}

/** A constraint of the schema rejected the statement, which changed nothing. */
export class ConstraintViolation extends Error {
  constructor(
    readonly constraint: string,
    cause: unknown,
  ) {
    super(`constraint ${constraint}`, { cause });
    this.name = 'ConstraintViolation';
  }
}

/*
 * SQLSTATE codes from https://www.postgresql.org/docs/current/errcodes-appendix.html. Messages are
 * no substitute: the server translates them, and even the severity, into its own language.
 */
const timeouts = new Set([
  '57014', // query_canceled: statement_timeout
  '55P03', // lock_not_available: lock_timeout
  '40P01', // deadlock_detected
  '40001', // serialization_failure
]);
const rolledBack = new Set([
  '25006', // read_only_sql_transaction: this server has become a standby
  '57P03', // cannot_connect_now: starting up or shutting down
  '26000', // invalid_sql_statement_name: the connection's prepared statements were deallocated
]);
/**
 * The SQLSTATE codes of replies that are not from the server that ran the statement. They are from
 * a pooler, or from a coordinator that lost its worker.
 */
const connectionLost = /^(08|40003)/;
/**
 * Disk full, out of memory, I/O errors. An ERROR is rolled back; after a FATAL or PANIC the outcome
 * is unknown.
 */
const resourceErrors = /^(53|58)/;

/** Translates an error from a statement on an established connection. */
export function translateStatementError(error: unknown): Error {
  if (!(error instanceof PostgresError) || error.severity === 'FATAL' || error.severity === 'PANIC') {
    // The connection is lost, and the reply may be lost with it.
    return new DatabaseFailure('unavailable', 'unknown', error);
  }
  const code = error.code ?? '';
  if (isOfMovedShard(error)) return new DatabaseFailure('unavailable', 'nothing', error);
  const constraint = violatedConstraint(error);
  if (constraint !== undefined) return new ConstraintViolation(constraint, error);
  if (timeouts.has(code)) return new DatabaseFailure('timeout', 'nothing', error);
  // "cached plan must not change result type": the statement was prepared before a migration and no
  // longer works on this connection.
  if (rolledBack.has(code) || error.routine === 'RevalidateCachedQuery') {
    return new DatabaseFailure('unavailable', 'nothing', error);
  }
  const outcome = error.severity === 'ERROR' ? outcomeOfLostWorker(error) : undefined;
  if (outcome !== undefined) return new DatabaseFailure('unavailable', outcome, error);
  // A translated severity is not recognized as ERROR. The outcome is then `unknown`, the safe
  // choice.
  if (connectionLost.test(code) || error.severity !== 'ERROR')
    return new DatabaseFailure('unavailable', 'unknown', error);
  return resourceErrors.test(code) ? new DatabaseFailure('unavailable', 'nothing', error) : error;
}

/**
 * The SQLSTATE `warning`. A commit that is cancelled while it waits for a synchronous standby
 * succeeds with a warning of this code. No other part of our statements warns.
 */
export const notReplicated = '01000';

/** Translates a failure to get a connection. The statement was never sent. */
export function translateConnectError(error: unknown): DatabaseFailure {
  const exhausted = error instanceof Error && error.message === 'timeout exceeded when trying to connect';
  return new DatabaseFailure(exhausted ? 'pool_exhausted' : 'unavailable', 'nothing', error);
}
