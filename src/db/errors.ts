import { DatabaseError as PostgresError } from 'pg';

/**
 * What a failed statement left behind:
 *  - `nothing`: it did not run, or PostgreSQL said that it was rolled back;
 *  - `unknown`: it was sent and no answer came (or the answer itself leaves it open), so it may have been committed.
 */
export type Outcome = 'nothing' | 'unknown';

/** Why the database could not do what it was asked, apart from the caller's own mistakes. */
export type FailureReason = 'unavailable' | 'timeout' | 'pool_exhausted';

/** The database could not answer. Asking again later may help. */
export class DatabaseFailure extends Error {
  constructor(
    readonly reason: FailureReason,
    readonly outcome: Outcome,
    cause: unknown,
  ) {
    super(`database ${reason}, outcome ${outcome}`, { cause });
    this.name = 'DatabaseFailure';
  }
}

/** A constraint of the schema refused the change, and nothing of it happened. */
export class ConstraintViolation extends Error {
  constructor(
    readonly constraint: string,
    cause: unknown,
  ) {
    super(`constraint ${constraint}`, { cause });
    this.name = 'ConstraintViolation';
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const timeouts = new Set([
  '57014', // query_canceled: statement_timeout
  '55P03', // lock_not_available: lock_timeout
  '40P01', // deadlock_detected
  '40001', // serialization_failure
]);
const unavailableClasses = new Set([
  '53', // insufficient_resources: disk full, out of memory, too many connections
  '58', // system_error
]);
const unavailable = new Set([
  '25006', // read_only_sql_transaction: this server has become a standby
  '57P03', // cannot_connect_now: starting up or shutting down
]);

/** Translates whatever a statement on an established connection threw. */
export function translateStatementError(error: unknown): Error {
  if (error instanceof PostgresError && error.severity === 'ERROR') {
    const code = error.code ?? '';
    if (error.constraint !== undefined && code.startsWith('23')) {
      return new ConstraintViolation(error.constraint, error);
    }
    if (timeouts.has(code)) return new DatabaseFailure('timeout', 'nothing', error);
    if (unavailable.has(code) || unavailableClasses.has(code.slice(0, 2))) {
      return new DatabaseFailure('unavailable', 'nothing', error);
    }
    return error;
  }
  // FATAL, PANIC, or no word from the server at all: the connection is gone and may have taken the answer with it.
  return new DatabaseFailure('unavailable', 'unknown', error);
}

/** Translates a failure to get a connection: the statement was never sent. */
export function translateConnectError(error: unknown): DatabaseFailure {
  const exhausted = error instanceof Error && error.message === 'timeout exceeded when trying to connect';
  return new DatabaseFailure(exhausted ? 'pool_exhausted' : 'unavailable', 'nothing', error);
}
