import { setTimeout as delay } from 'node:timers/promises';

import type { CourierStore } from './courier.store';
import type { ClaimedEndpoint } from './delivery';

/**
 * The rests before a lease is given up, by errors in a row. After more errors, the lease ends by
 * itself. So an error that repeats does not send the same events over and over.
 */
const restsMs = [0, 2_000, 4_000, 8_000, 16_000] as const;
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
  /** Errors in a row, by endpoint. */
  const errors = new Map<string, number>();
  const pause = () => delay(pollMs, undefined, { ref: false });
  return {
    async giveUp(endpoint) {
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
    forget(endpointId) {
      errors.delete(endpointId);
    },
  };
}
