import type { DatabaseFailure, FailureReason } from '../../db/errors';
import type { CoreErrorCode } from '../../shared/errors';
import { adviceOf, defaultDetail } from './error-catalog';

export const codeOfReason: Record<FailureReason, CoreErrorCode> = {
  unavailable: 'database_unavailable',
  no_room: 'database_full',
  read_only: 'database_unavailable',
  unconfirmed: 'database_unavailable',
  timeout: 'database_timeout',
  conflict: 'database_timeout',
  pool_exhausted: 'overloaded',
};

/** `database_unavailable` has several causes. */
const causes: Partial<Record<FailureReason, string>> = {
  unavailable: 'The service cannot reach its database.',
  read_only: 'The database accepts no writes now. No changes were made.',
  unconfirmed: 'The database does not confirm writes now, so this one was not sent. No changes were made.',
};

/**
 * The problem that a caller gets. Most codes say that nothing was changed, which is not certain of
 * an unknown outcome.
 */
export function databaseProblem({ reason, outcome }: DatabaseFailure): {
  code: CoreErrorCode;
  detail: string;
} {
  const told = outcome === 'unknown' ? 'unavailable' : reason;
  const code = codeOfReason[told];
  const cause = causes[told];
  return { code, detail: cause === undefined ? defaultDetail(code) : `${cause} ${adviceOf(code)}` };
}
