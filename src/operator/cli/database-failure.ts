import { noteOnPgVariables } from '../../db/pg-variables';
import type { DatabaseFailure } from '../../db/errors';

/** What a command says about a failure of the database. `state` ends without a full stop. */
export function describeFailure({ reason, cause }: DatabaseFailure): { state: string; note: string } {
  const message = cause instanceof Error ? cause.message : 'no reason given';
  if (reason === 'no_room') return { state: `The database has no room (${message})`, note: '' };
  if (reason === 'read_only') return { state: `The database is read-only (${message})`, note: '' };
  return { state: `The database is not available (${message})`, note: noteOnPgVariables() };
}
