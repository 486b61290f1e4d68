import { LRUCache } from 'lru-cache';

import type { Logger } from '../../shared/logger';
import type { KeyPairsStore, StoredKeyPair } from './key-pairs.store';

/** The API-Keys of pairs that exist, whether or not their cache entries are still fresh. */
export interface KnownKeyPairs {
  has(apiKey: string): boolean;
  /** Adds a pair that was found, or makes it the most recent one. */
  add(apiKey: string): void;
  /** Removes a pair that was revoked, has expired or never existed. */
  remove(apiKey: string): void;
  /**
   * Resolves when the live pairs have been read once. Concurrent callers share one read.
   *
   * @throws DatabaseFailure when they cannot be read; the next call tries again
   */
  warm: () => Promise<void>;
  /**
   * Reads the live pairs that were used since the last read, by any process, or never.
   *
   * @throws DatabaseFailure when they cannot be read
   */
  refresh(): Promise<void>;
}

/** Every process writes `last_used_at` every few seconds, by a clock of its own. */
const lateUseMs = 5 * 60_000;

/**
 * Keeps the keys of pairs that exist. A key in here is always looked up, whatever a stranger at the
 * same address has sent: throttling applies to unknown keys only. Neither an expired cache entry
 * nor a lost connection nor a restart may turn a partner into a stranger.
 *
 * @param capacity the most keys kept, some 100 bytes each; the one that was read or used longest
 *   ago makes room
 * @param nowMs epoch milliseconds
 * @param onRead given the pairs of each read, the most recently used first
 */
export function createKnownKeyPairs(
  store: Pick<KeyPairsStore, 'listLive'>,
  capacity: number,
  nowMs: () => number,
  onRead: (mostRecentFirst: readonly StoredKeyPair[]) => void = () => undefined,
): KnownKeyPairs {
  const known = new LRUCache<string, true>({ max: capacity });
  let readAtMs: number | undefined;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const startedAtMs = nowMs();
    const usedSince = readAtMs === undefined ? undefined : new Date(readAtMs - lateUseMs);
    const mostRecentFirst = await store.listLive(capacity, usedSince);
    for (const { apiKey } of mostRecentFirst.toReversed()) known.set(apiKey, true);
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
    has: (apiKey) => known.has(apiKey),
    add: (apiKey) => void known.set(apiKey, true),
    remove: (apiKey) => void known.delete(apiKey),
    warm: async () => {
      if (readAtMs === undefined) await refresh();
    },
    refresh,
  };
}

/**
 * Reads at intervals, and now, what other processes have seen. A read that fails is made up for by
 * the next one.
 */
export function refreshRegularly(
  knownKeyPairs: Pick<KnownKeyPairs, 'refresh'>,
  logger: Logger,
  intervalMs: number,
): { now: () => void; stop: () => void } {
  const now = (): void => {
    knownKeyPairs.refresh().catch(() => {
      logger.debug('known key pairs not read');
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
