import { loggable } from '../../http/errors/loggable-error';
import type { Logger } from '../../shared/logger';
import { type Polling, startPolling } from '../../shared/polling';
import type { RelayStore } from './relay.store';

/** Limits a transaction to a fraction of a second. */
const mostAtOnce = 1_000;
/** After a failure, so that a slow database still moves some events before its timeout. */
const fewAtOnce = 100;
const busyPollMs = 100;
const idlePollMs = 1_000;
/** While the database is unavailable, the log gets at most one line in this time. */
const retryMs = 5_000;
/** Ends a pass over the environments early, because each failure may take seconds. */
const mostFailures = 20;
/** How long a pass skips an environment that failed, so that the others get their turn. */
const suspensionMs = 30_000;
const expiryIntervalMs = 3_600_000;

/**
 * Moves events from the queue to the feeds. Every process tries, and a lock in the database admits
 * one of them for each run. A run is one transaction: a process that stops during a run leaves all
 * or none of its work.
 */
export function startRelay(store: RelayStore, logger: Logger): Pick<Polling, 'stop'> {
  let expiresAt = 0;
  let warnsAt = 0;
  const suspendedUntil = new Map<number, number>();

  /** Runs even if events arrive without pause. */
  async function expire(): Promise<void> {
    if (performance.now() < expiresAt) return;
    if ((await store.expire(mostAtOnce)) === 0) expiresAt = performance.now() + expiryIntervalMs;
  }

  /**
   * Relays each environment in its own transaction, because one of them failed: its server is
   * unavailable, or its events took too long.
   *
   * @returns the number of events
   */
  async function relayEach(error: unknown): Promise<number> {
    let eventCount = 0;
    let failedCount = 0;
    let last = error;
    try {
      for (const environmentId of await store.environments()) {
        if (polling.isStopped) break;
        if ((suspendedUntil.get(environmentId) ?? 0) > performance.now()) continue;
        try {
          eventCount += await store.relayOf(environmentId, fewAtOnce);
        } catch (failure) {
          last = failure;
          failedCount += 1;
          suspendedUntil.set(environmentId, performance.now() + suspensionMs);
          if (failedCount === mostFailures) break;
        }
      }
    } catch (failure) {
      last = failure;
    }
    if (performance.now() >= warnsAt) {
      warnsAt = performance.now() + retryMs;
      // The events are still queued.
      logger.warn(
        { error: loggable(last), relayed_count: eventCount, failed_environment_count: failedCount },
        'events not relayed',
      );
    }
    return eventCount;
  }

  /** @returns the time until the next run */
  async function run(): Promise<number> {
    try {
      const { eventCount } = await store.relay(mostAtOnce);
      await expire();
      if (eventCount >= mostAtOnce) return 0;
      return eventCount > 0 ? busyPollMs : idlePollMs;
    } catch (error) {
      return (await relayEach(error)) > 0 ? busyPollMs : retryMs;
    }
  }

  const polling = startPolling(run, idlePollMs);
  return polling;
}
