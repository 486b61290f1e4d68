import { ConstraintViolation, DatabaseFailure } from '../../db/errors';

/**
 * The properties of an error that are safe to log. PostgreSQL's `detail` and `where` quote the row,
 * and the message of a constraint violation can too, so they are omitted.
 */
export function loggable(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { thrown: typeof error };
  const cause = error.cause === undefined ? undefined : loggable(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const fromDatabase = 'severity' in error || error instanceof ConstraintViolation;
  return {
    name: error.name,
    code,
    message: fromDatabase ? undefined : error.message,
    constraint: error instanceof ConstraintViolation ? error.constraint : undefined,
    reason: error instanceof DatabaseFailure ? error.reason : undefined,
    statement: error instanceof DatabaseFailure ? error.queryName : undefined,
    stack: fromDatabase ? undefined : error.stack,
    cause,
  };
}
