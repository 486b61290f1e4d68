import { DatabaseError as PostgresError } from 'pg';

/**
 * What a failed statement left behind: - `nothing`: it did not run, or PostgreSQL said that it was
 * rolled back; - `unknown`: it was sent and no answer came (or the answer itself leaves it open),
 * so it may have been committed.
 */
export type Outcome = 'nothing' | 'unknown';

/** Why the database could not do what it was asked, apart from the caller's own mistakes. */
export type FailureReason = 'unavailable' | 'timeout' | 'pool_exhausted';

/** The database could not answer. Asking again later may help. */
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

/*
 * What a code of https://www.postgresql.org/docs/current/errcodes-appendix.html says about a
 * statement under way. Codes, never words: the server says even the severity in the language of its
 * operator.
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
  '26000', // invalid_sql_statement_name: somebody has thrown the prepared statements of this connection away
]);
/**
 * Whoever answers is not the server that ran the statement: a pooler, or a coordinator that lost
 * its worker.
 */
const lost = /^(08|40003)/;
/**
 * Disk full, out of memory, I/O errors: rolled back when it is an ERROR, open when it brings the
 * server down.
 */
const shortages = /^(53|58)/;

/** Translates whatever a statement on an established connection threw. */
export function translateStatementError(error: unknown): Error {
  if (!(error instanceof PostgresError) || error.severity === 'FATAL' || error.severity === 'PANIC') {
    // The connection is gone, with or without a word, and may have taken the answer with it.
    return new DatabaseFailure('unavailable', 'unknown', error);
  }
  const code = error.code ?? '';
  if (error.constraint !== undefined && code.startsWith('23')) {
    return new ConstraintViolation(error.constraint, error);
  }
  if (timeouts.has(code)) return new DatabaseFailure('timeout', 'nothing', error);
  // "cached plan must not change result type": prepared before a migration, and of no more use on
  // this connection.
  if (rolledBack.has(code) || error.routine === 'RevalidateCachedQuery') {
    return new DatabaseFailure('unavailable', 'nothing', error);
  }
  // In another language this is not seen to be an ERROR, and counts as unknown: more cautious than
  // needed, never less.
  if (lost.test(code) || error.severity !== 'ERROR')
    return new DatabaseFailure('unavailable', 'unknown', error);
  return shortages.test(code) ? new DatabaseFailure('unavailable', 'nothing', error) : error;
}

/** Translates a failure to get a connection: the statement was never sent. */
export function translateConnectError(error: unknown): DatabaseFailure {
  const exhausted = error instanceof Error && error.message === 'timeout exceeded when trying to connect';
  return new DatabaseFailure(exhausted ? 'pool_exhausted' : 'unavailable', 'nothing', error);
}
