import { ServiceError } from '../../shared/errors';
import { mostFilesPerHour } from './statement-limits.field';

const hourMs = 3_600_000;

/**
 * Limits how many files of an environment are read without being stored: dry runs and unreadable
 * files. Each may take a CPU for a minute. The database counts stored files.
 */
export type UnstoredFiles = ReturnType<typeof createUnstoredFiles>;

/** @param now returns milliseconds */
export function createUnstoredFiles(now: () => number) {
  const times = new Map<number, number[]>();
  const recent = (environmentId: number): number[] => {
    const left = (times.get(environmentId) ?? []).filter((at) => at > now() - hourMs);
    if (left.length === 0) times.delete(environmentId);
    else times.set(environmentId, left);
    return left;
  };
  return {
    /** @throws ServiceError rate_limited */
    check(environmentId: number) {
      const found = recent(environmentId);
      const [oldest] = found;
      if (oldest === undefined || found.length < mostFilesPerHour) return;
      throw new ServiceError('rate_limited', {
        detail: `The limit is ${mostFilesPerHour} dry runs and unreadable files per hour. No changes were made. Wait Retry-After seconds, then retry.`,
        headers: { 'Retry-After': String(Math.max(1, Math.ceil((oldest + hourMs - now()) / 1_000))) },
      });
    },
    add(environmentId: number) {
      times.set(environmentId, [...recent(environmentId), now()]);
    },
  };
}
