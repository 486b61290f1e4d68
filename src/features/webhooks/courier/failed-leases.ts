import { setTimeout as delay } from 'node:timers/promises';

import type { CourierStore } from './courier.store';
import type { ClaimedEndpoint } from './delivery';

/**
 * The waits before a lease is released, by the number of consecutive errors. After more errors, the
 * lease expires instead. This backoff keeps a repeated error from resending the same events
 * rapidly.
 */
const restsMs = [0, 2_000, 4_000, 8_000, 16_000] as const;
const pollMs = 1_000;
/** The duration of a lease. */
const leaseMs = 30_000;

/** The leases of sessions that ended with a database error. */
export function createFailedLeases(store: Pick<CourierStore, 'release'>, isStopped: () => boolean) {
  /** The number of consecutive errors, by endpoint. */
  const errors = new Map<string, number>();
  const pause = () => delay(pollMs, undefined, { ref: false });
  return {
    /** Lets any process serve the endpoint as soon as the database is available again. */
    async giveUp(endpoint: Pick<ClaimedEndpoint, 'environmentId' | 'endpointId' | 'leaseId'>) {
      const startedAt = performance.now();
      const before = errors.get(endpoint.endpointId) ?? 0;
      errors.set(endpoint.endpointId, before + 1);
      const restMs = restsMs[before];
      if (restMs === undefined) return;
      while (!isStopped() && performance.now() - startedAt < restMs) await pause();
      do {
        try {
          await store.release(endpoint);
          return;
        } catch {
          await pause();
        }
      } while (!isStopped() && performance.now() - startedAt < leaseMs);
    },
    /** Resets the error count, because a session with the endpoint has ended without an error. */
    forget(endpointId: string) {
      errors.delete(endpointId);
    },
  };
}
