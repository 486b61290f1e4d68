import { LRUCache } from 'lru-cache';

import type { JsonBytes } from './send-json';

/** Responses that are the same for every caller of an environment. */
export type ResponseCache = ReturnType<typeof createResponseCache>;

interface Entry {
  readonly response: Promise<JsonBytes>;
  readonly madeAt: number;
}

/**
 * Caches responses for a short time, so that many requests for the same resource cost one SQL
 * query and one serialization. Concurrent requests share one response.
 *
 * @param lifetimeMs the maximum age, counted from before the database is read; 0 disables the cache
 * @param capacityBytes maximum size; the least recently used response is evicted first
 * @param now a monotonic clock in milliseconds
 */
export function createResponseCache(lifetimeMs: number, capacityBytes: number, now: () => number) {
  const entries = new LRUCache<string, Entry>({ maxSize: capacityBytes });

  return {
    /**
     * Returns the cached response, or calls `make` if there is none or it is too old. Failures are
     * not cached.
     */
    find(key: string, make: () => Promise<JsonBytes>) {
      const cached = entries.get(key);
      if (cached && now() - cached.madeAt < lifetimeMs) return cached.response;
      if (lifetimeMs === 0) return make();
      const entry: Entry = { madeAt: now(), response: make() };
      entries.set(key, entry, { size: 1 });
      entry.response.then(
        ({ bytes }) => {
          // Set a new object, because the cache measures the size of each object only once.
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
