import { ServiceError } from '../../../shared/errors';
import { mostUploadsPerHour } from './upload-limits.field';

const hourMs = 3_600_000;

/**
 * Limits the dry runs of a company in this process, because each may take a CPU for a minute. The
 * database counts uploads.
 *
 * @param now returns milliseconds
 */
export function createDryRunLimit(now: () => number) {
  const times = new Map<string, number[]>();
  return {
    /** @throws ServiceError rate_limited */
    count(companyId: string): void {
      const recent = (times.get(companyId) ?? []).filter((at) => at > now() - hourMs);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= mostUploadsPerHour) {
        throw new ServiceError('rate_limited', {
          detail: `The limit is ${mostUploadsPerHour} dry runs per hour. No changes were made. Wait Retry-After seconds, then retry.`,
          headers: { 'Retry-After': String(Math.max(1, Math.ceil((oldest + hourMs - now()) / 1_000))) },
        });
      }
      times.set(companyId, [...recent, now()]);
    },
  };
}
