import { loggable } from '../../http/errors/loggable-error';
import type { Logger } from '../../shared/logger';
import type { RelayStore } from './relay.store';

export interface Relay {
  /** Stops, and waits for the current run. */
  stop(): Promise<void>;
}

/** Limits a transaction to a fraction of a second. */
const mostAtOnce = 1_000;
const busyPollMs = 100;
const idlePollMs = 1_000;
/** While the database is unavailable, the log gets one line in this time. */
const retryMs = 5_000;
const expiryIntervalMs = 3_600_000;

/**
 * Moves events from the queue to the feeds. Every process tries, and the database gives one of them
 * the turn for each run. A process that stops at any moment leaves a run undone or done, because a
 * run is one transaction.
 */
export function startRelay(store: RelayStore, logger: Logger): Relay {
  let isStopped = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let expiresAt = 0;

  async function expire(): Promise<void> {
    if (performance.now() < expiresAt) return;
    if ((await store.expire(mostAtOnce)) === 0) expiresAt = performance.now() + expiryIntervalMs;
  }

  /** @returns the time until the next run */
  async function run(): Promise<number> {
    try {
      const { eventCount } = await store.relay(mostAtOnce);
      if (eventCount >= mostAtOnce) return 0;
      if (eventCount > 0) return busyPollMs;
      await expire();
    } catch (error) {
      // The events are still queued.
      logger.warn({ error: loggable(error) }, 'events not relayed');
      return retryMs;
    }
    return idlePollMs;
  }

  function schedule(delayMs: number): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = run().then(schedule);
    }, delayMs);
    timer.unref();
  }

  schedule(idlePollMs);
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
