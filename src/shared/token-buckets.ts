import { LRUCache } from 'lru-cache';

/** So many tokens a second, and at most so many at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** What became of one attempt to take a token. */
export interface TokenTaken {
  readonly isTaken: boolean;
  /** Whole tokens that are left. */
  readonly remaining: number;
  readonly secondsUntilFull: number;
  /** 0 while a token is left. */
  readonly secondsUntilNext: number;
}

export interface TokenBuckets {
  /** Takes one token from the bucket of this key, which is full when it was not heard of before. */
  take(key: string, rate: Rate): TokenTaken;
  /** Puts one token back that was taken. */
  putBack(key: string, rate: Rate): void;
}

/**
 * Token buckets in memory, one for each key: a burst is let through, and no more than the rate for
 * ever. Of each bucket only the moment is kept at which it is full again (the generic cell rate
 * algorithm, ITU-T I.371).
 *
 * @param capacity the most buckets kept; the one that was asked for least recently makes room,
 *   and is full when it comes back
 * @param nowMs a clock that never goes back
 */
export function createTokenBuckets(
  capacity: number,
  nowMs: () => number = () => performance.now(),
): TokenBuckets {
  const fullAt = new LRUCache<string, number>({ max: capacity });

  return {
    take(key, { perSecond, burst }) {
      const now = nowMs();
      // Millionths, so that the arithmetic of fractions does not cost a token.
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
    putBack(key, { perSecond }) {
      const isFullAt = fullAt.peek(key);
      if (isFullAt !== undefined) fullAt.set(key, isFullAt - 1_000 / perSecond);
    },
  };
}
