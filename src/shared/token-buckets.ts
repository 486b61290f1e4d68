import { LRUCache } from 'lru-cache';

export interface Rate {
  /** Tokens that a bucket gains per second. */
  readonly perSecond: number;
  /** The capacity of a bucket. */
  readonly burst: number;
}

/** The result of an attempt to take a token. */
export interface TokenTaken {
  readonly isTaken: boolean;
  /** Whole tokens left. */
  readonly remaining: number;
  readonly secondsUntilFull: number;
  /** The seconds until the next token. 0 while a token is left. */
  readonly secondsUntilNext: number;
}

export type TokenBuckets = ReturnType<typeof createTokenBuckets>;

/**
 * Token buckets in memory, one per key. A bucket is stored as the time when it will be full again
 * (the generic cell rate algorithm, ITU-T I.371).
 *
 * @param capacity the most buckets kept. The least recently used one is evicted, which refills it
 * @param nowMs a monotonic clock
 */
export function createTokenBuckets(capacity: number, nowMs: () => number = () => performance.now()) {
  const fullAt = new LRUCache<string, number>({ max: capacity });

  return {
    /** Takes one token from this key's bucket. The bucket of a new key is full. */
    take(key: string, { perSecond, burst }: Rate): TokenTaken {
      const now = nowMs();
      // Rounded to millionths, so that a floating-point error does not cost a token.
      const missing = Math.round(Math.max(0, (fullAt.peek(key) ?? now) - now) * perSecond * 1_000) / 1e6;
      const isTaken = missing + 1 <= burst;
      const missingNow = isTaken ? missing + 1 : missing;
      fullAt.set(key, now + (missingNow * 1_000) / perSecond);
      return {
        isTaken,
        remaining: Math.floor(burst - missingNow),
        secondsUntilFull: missingNow / perSecond,
        secondsUntilNext: Math.max(0, missingNow + 1 - burst) / perSecond,
      };
    },
    /** Returns one token to the bucket. */
    putBack(key: string, { perSecond }: Rate) {
      const isFullAt = fullAt.peek(key);
      if (isFullAt !== undefined) fullAt.set(key, isFullAt - 1_000 / perSecond);
    },
  };
}
