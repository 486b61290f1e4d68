import { loggable } from '../http/errors/loggable-error';
import type { Logger } from '../shared/logger';

/** Sums that are updated at an interval. */
export interface AddedUp {
  /** Stops, and waits for the current run. */
  stop(): Promise<void>;
}

/**
 * Keeps sums up to date. Every process tries at an interval, and the database lets one process run
 * at a time.
 *
 * @param failure the log line of a failed run
 */
export function keepAddedUp(
  store: { addUp: () => Promise<void> },
  failure: string,
  logger: Logger,
  intervalMs: number,
): AddedUp {
  let currentRun: Promise<void> | undefined;

  async function addUp(): Promise<void> {
    try {
      await store.addUp();
    } catch (error) {
      // The changes stay queued for the next run.
      logger.warn({ error: loggable(error) }, failure);
    } finally {
      currentRun = undefined;
    }
  }

  const timer = setInterval(() => {
    currentRun ??= addUp();
  }, intervalMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await currentRun;
    },
  };
}
