import { DatabaseFailure } from '../../db/errors';
import { loggable } from '../../http/errors/loggable-error';

/** A failure of the database says nothing about the work. A timeout may be due to the work. */
export const isOfDatabase = (error: unknown): boolean =>
  error instanceof DatabaseFailure && error.reason !== 'timeout';

/** What a log line may say about an error: never its message, which may quote the file. */
export function withoutMessage(error: unknown): Record<string, unknown> {
  const { name, code, reason, statement, constraint, stack } = loggable(error);
  const frames =
    typeof stack === 'string' ? stack.split('\n').filter((line) => /^ +at /.test(line)) : undefined;
  return { name, code, reason, statement, constraint, frames };
}
