import { type Polling, startPolling } from './polling';

/**
 * Keeps sums up to date. Every process tries at an interval, and the database lets one process run
 * at a time.
 *
 * @param onFailure called for a failed run; its changes stay queued for the next one
 */
export const maintainSums = (
  store: { addUp: () => Promise<void> },
  onFailure: (error: unknown) => void,
  intervalMs: number,
): Pick<Polling, 'stop'> =>
  startPolling(async () => {
    const startedAt = performance.now();
    await store.addUp().catch(onFailure);
    return Math.max(0, startedAt + intervalMs - performance.now());
  }, intervalMs);
