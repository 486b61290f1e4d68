import { LRUCache } from 'lru-cache';

import type { JsonBytes } from './send-json';

/** Responses that are the same for every caller of an environment. */
export interface ResponseCache {
  /**
   * The answer under this key, made anew when it is older than it may be. Failures are not kept.
   */
  find(key: string, make: () => Promise<JsonBytes>): Promise<JsonBytes>;
}

interface Entry {
  readonly response: Promise<JsonBytes>;
  readonly madeAt: number;
}

/**
 * Caches responses for a moment, so that many requests for the same resource cost one statement and
 * one rendering. Concurrent requests share one response.
 *
 * @param lifetimeMs how old an answer may be, from before it was read; 0 keeps nothing
 * @param capacityBytes how much is kept; the least recently used response makes room
 * @param now milliseconds on a clock that never goes back
 */
export function createResponseCache(
  lifetimeMs: number,
  capacityBytes: number,
  now: () => number,
): ResponseCache {
  const entries = new LRUCache<string, Entry>({ maxSize: capacityBytes });

  return {
    find(key, make) {
      const cached = entries.get(key);
      if (cached && now() - cached.madeAt < lifetimeMs) return cached.response;
      if (lifetimeMs === 0) return make();
      const entry: Entry = { madeAt: now(), response: make() };
      entries.set(key, entry, { size: 1 });
      entry.response.then(
        ({ bytes }) => {
          // A new value, because the cache measures a value only once.
          if (entries.peek(key) === entry) entries.set(key, { ...entry }, { size: bytes.length });
        },
        () => {
          if (entries.peek(key) === entry) entries.delete(key);
        },
      );
      return entry.response;
    },
  };
}
