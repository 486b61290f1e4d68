import { LRUCache } from 'lru-cache';

import type { Logger } from '../../shared/logger';
import type { KeyPairsStore, StoredKeyPair } from './key-pairs.store';

/** The API-Keys of pairs that exist, whether or not their cache entries are still fresh. */
export type KnownKeyPairs = ReturnType<typeof createKnownKeyPairs>;

/** The margin for `last_used_at`. Processes write it every few seconds, and their clocks differ. */
const lastUseMarginMs = 5 * 60_000;

/**
 * Keeps the API-Keys of pairs that exist, so that their owners are never throttled because of other
 * clients with the same address. A known key with the right secret is never throttled. An unknown
 * key or a wrong secret can be throttled. A key stays known after its cache entry expires, after a
 * lost connection and after a restart.
 *
 * @param capacity the maximum number of keys, about 100 bytes each; the least recent is evicted
 * @param nowMs epoch milliseconds
 * @param onRead receives the pairs of each read, most recently used first
 */
export function createKnownKeyPairs(
  store: Pick<KeyPairsStore, 'listLive'>,
  capacity: number,
  nowMs: () => number,
  onRead: (mostRecentFirst: readonly StoredKeyPair[]) => void = () => undefined,
) {
  const known = new LRUCache<string, true>({ max: capacity });
  let readAtMs: number | undefined;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const startedAtMs = nowMs();
    const usedSince = readAtMs === undefined ? undefined : new Date(readAtMs - lastUseMarginMs);
    const mostRecentFirst = await store.listLive(capacity, usedSince);
    for (const { principal } of mostRecentFirst.toReversed()) known.set(principal.apiKey, true);
    onRead(mostRecentFirst);
    readAtMs = startedAtMs;
  }

  function refresh(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  return {
    has: (apiKey: string) => known.has(apiKey),
    /** Adds a pair, or marks it as the most recent one. */
    add: (apiKey: string): void => void known.set(apiKey, true),
    /** Removes a pair that is revoked, expired or unknown. */
    remove: (apiKey: string): void => void known.delete(apiKey),
    /**
     * Resolves when the live pairs have been read at least once. Concurrent callers share one read.
     *
     * @throws DatabaseFailure if the read fails; the next call retries
     */
    warm: async () => {
      if (readAtMs === undefined) await refresh();
    },
    /**
     * Reads the live pairs that any process used since the last read, and those never used.
     *
     * @throws DatabaseFailure if the read fails
     */
    refresh,
  };
}

/**
 * Refreshes the known pairs at an interval and on demand. The next read makes up for a failed one.
 */
export function refreshRegularly(
  knownKeyPairs: Pick<KnownKeyPairs, 'refresh'>,
  logger: Logger,
  intervalMs: number,
): { now: () => void; stop: () => void } {
  const now = (): void => {
    knownKeyPairs.refresh().catch(() => {
      logger.debug('key pairs for the cache not read');
    });
  };
  const timer = setInterval(now, intervalMs);
  timer.unref();
  return {
    now,
    stop() {
      clearInterval(timer);
    },
  };
}
