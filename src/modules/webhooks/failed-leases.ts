import { setTimeout as delay } from 'node:timers/promises';

import type { CourierStore } from './courier.store';
import type { ClaimedEndpoint } from './delivery';

/** An error that repeats within this time leaves the lease, or events were sent over and over. */
const repeatsWithinMs = 60_000;
const pollMs = 1_000;
/** Then the lease has ended. */
const leaseMs = 30_000;

/** The leases of sessions that the database has failed. */
export interface FailedLeases {
  /** Lets any process serve the endpoint as soon as the database is available again. */
  giveUp(endpoint: Pick<ClaimedEndpoint, 'environmentId' | 'endpointId' | 'leaseId'>): Promise<void>;
  /** A session with the endpoint has ended without an error. */
  forget(endpointId: string): void;
}

export function createFailedLeases(
  store: Pick<CourierStore, 'release'>,
  isStopped: () => boolean,
): FailedLeases {
  /** When the last session with an endpoint failed. */
  const failedAt = new Map<string, number>();
  return {
    async giveUp(endpoint) {
      const startedAt = performance.now();
      const failedBeforeAt = failedAt.get(endpoint.endpointId) ?? -Infinity;
      failedAt.set(endpoint.endpointId, startedAt);
      if (startedAt - failedBeforeAt < repeatsWithinMs) return;
      do {
        try {
          await store.release(endpoint);
          return;
        } catch {
          await delay(pollMs, undefined, { ref: false });
        }
      } while (!isStopped() && performance.now() - startedAt < leaseMs);
    },
    forget(endpointId) {
      failedAt.delete(endpointId);
    },
  };
}
