import { loggable } from '../../../http/errors/loggable-error';
import type { Logger } from '../../../shared/logger';
import { type Polling, startPolling } from '../../../shared/polling';

const firstMs = 1_000;
const intervalMs = 3_600_000;
const retryMs = 60_000;
/** The wait while more rows are left, so that other queries get their turn. */
const busyMs = 100;

/**
 * Deletes a limited number of old rows, and returns whether more may be left. Runs no further
 * query after `isStopped` returns true.
 */
export type Trim = (isStopped: () => boolean) => Promise<boolean>;

/** Deletes old rows once an hour, or a minute after a failure, in parallel with all other work. */
export function startHourlyTrim(trim: Trim, logger: Logger): Pick<Polling, 'stop'> {
  const polling: Polling = startPolling(async () => {
    try {
      return (await trim(() => polling.isStopped)) ? busyMs : intervalMs;
    } catch (error) {
      logger.warn({ error: loggable(error) }, 'old rows of webhooks not deleted');
      return retryMs;
    }
  }, firstMs);
  return polling;
}
