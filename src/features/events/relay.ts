import { loggable } from '../../http/errors/loggable-error';
import type { Logger } from '../../shared/logger';
import { createEnvironmentPasses } from '../../shared/environment-passes';
import { type Polling, startPolling } from '../../shared/polling';
import type { RelayStore } from './relay.store';

/** The maximum number of events in a transaction. It limits one to a fraction of a second. */
const mostAtOnce = 1_000;
/**
 * The maximum after a failure, so that a slow database still moves some events before its timeout.
 */
const fewAtOnce = 100;
const busyPollMs = 100;
const idlePollMs = 1_000;
/** The minimum time between two log lines while the database is unavailable. */
const retryMs = 5_000;
const expiryIntervalMs = 3_600_000;
/** The wait before the next expiry while an environment is unavailable. */
const retryExpiryMs = 60_000;

/**
 * Moves events from the queue to the feeds. Every process tries, and a lock in the database admits
 * one of them for each run. A run is one transaction: a process that stops during a run leaves all
 * or none of its work.
 *
 * @param onRelayed called when this process has written events to feeds
 */
export function startRelay(
  store: RelayStore,
  logger: Logger,
  onRelayed: () => void = () => undefined,
): Pick<Polling, 'stop'> {
  let expiresAt = 0;
  let warnsAt = 0;
  const relayPasses = createEnvironmentPasses();
  const expiryPasses = createEnvironmentPasses();

  /** Deletes old events when it is time, even if events arrive without a pause. */
  async function expire(): Promise<void> {
    if (performance.now() < expiresAt) return;
    if ((await store.expire(mostAtOnce)) === 0) expiresAt = performance.now() + expiryIntervalMs;
  }

  /** Expires each environment in its own transaction, because the common transaction failed. */
  async function expireEach(): Promise<void> {
    if (performance.now() < expiresAt) return;
    const expireOf = (environmentId: number) => store.expire(mostAtOnce, environmentId);
    const { count } = await expiryPasses.pass(store.environments, expireOf, () => polling.isStopped);
    if (count === 0) expiresAt = performance.now() + retryExpiryMs;
  }

  /**
   * Relays each environment in its own transaction, because the common transaction failed. The
   * server of one environment is unavailable, its events took too long, or one of them failed.
   *
   * @returns the number of events
   */
  async function relayEach(error: unknown): Promise<number> {
    const pass = await relayPasses.pass(
      store.environments,
      (environmentId) => store.relay(fewAtOnce, environmentId),
      () => polling.isStopped,
    );
    if (performance.now() >= warnsAt) {
      warnsAt = performance.now() + retryMs;
      // The events are still queued.
      logger.warn(
        {
          error: loggable(pass.error ?? error),
          relayed_count: pass.count,
          failed_environment_count: pass.failedCount,
          failed_event_count: await store.failedCount().catch(() => undefined),
        },
        'events not relayed',
      );
    }
    return pass.count;
  }

  /** @returns the time until the next run */
  async function run(): Promise<number> {
    try {
      const eventCount = await store.relay(mostAtOnce);
      if (eventCount > 0) onRelayed();
      await expire();
      if (eventCount >= mostAtOnce) return 0;
      return eventCount > 0 ? busyPollMs : idlePollMs;
    } catch (error) {
      const eventCount = await relayEach(error);
      await expireEach();
      if (eventCount === 0) return retryMs;
      onRelayed();
      return busyPollMs;
    }
  }

  const polling = startPolling(run, idlePollMs);
  return polling;
}
