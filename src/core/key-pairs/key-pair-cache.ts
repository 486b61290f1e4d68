import { LRUCache } from 'lru-cache';

import type { Clock } from '../../shared/clock';
import type { KeyPairsStore, StoredKeyPair } from './key-pairs.store';
import type { KnownKeyPairs } from './known-key-pairs';
import { createSharedLookups } from './shared-lookups';

/** The lifetime of an entry while this process does not receive revocations. */
const unwatchedLifetimeMs = 1_000;
/** The lifetime of an entry while this process receives revocations. */
const watchedLifetimeMs = 60_000;

export type KeyPairCache = ReturnType<typeof createKeyPairCache>;

interface Entry {
  keyPair: StoredKeyPair;
  /** Epoch milliseconds; -Infinity for a stale entry. */
  readAt: number;
}

/**
 * Caches live key pairs, so that authentication needs no database round trip. Unknown keys are not
 * cached, because strangers could fill the memory with them.
 *
 * @param known receives the result of each lookup, and remembers which keys exist for longer than
 *   this cache
 * @param capacity the maximum number of cached pairs; the least recently read one is evicted
 * @param isWatched whether this process currently receives revocations
 * @param onLookUp receives whether a lookup needed no round trip, because the pair was cached or
 *   another lookup of it was in progress
 */
export function createKeyPairCache(
  store: Pick<KeyPairsStore, 'findLive'>,
  known: Pick<KnownKeyPairs, 'has' | 'add' | 'remove'>,
  clock: Clock,
  capacity: number,
  isWatched: () => boolean,
  onLookUp: (isInMemory: boolean) => void = () => undefined,
) {
  const entries = new LRUCache<string, Entry>({ max: capacity });

  function isFresh({ keyPair, readAt }: Entry, now: number): boolean {
    const age = now - readAt;
    const expiresAt = keyPair.expiresAt?.getTime() ?? Infinity;
    return age >= 0 && age < (isWatched() ? watchedLifetimeMs : unwatchedLifetimeMs) && now < expiresAt;
  }

  function put(apiKey: string, keyPair: StoredKeyPair | undefined, readAt: number): void {
    if (!keyPair) {
      entries.delete(apiKey);
      known.remove(apiKey);
      return;
    }
    known.add(apiKey);
    entries.set(apiKey, { keyPair, readAt });
  }

  function inMemory(apiKey: string): StoredKeyPair | undefined {
    const entry = entries.peek(apiKey);
    if (!entry || !isFresh(entry, clock.now().getTime())) return undefined;
    onLookUp(true);
    return entry.keyPair;
  }

  const isKnown = (apiKey: string): boolean => entries.has(apiKey) || known.has(apiKey);
  const lookups = createSharedLookups(store, isKnown, unwatchedLifetimeMs, put);

  return {
    /** The live pair with this key, if the cache has a fresh entry. */
    inMemory,
    /** The live pair with this key, from the cache or from the database. */
    async find(apiKey: string) {
      const cached = inMemory(apiKey);
      if (cached) return cached;
      const now = clock.now().getTime();
      const shared = lookups.current(apiKey, now);
      onLookUp(shared !== undefined);
      return shared ?? lookups.start(apiKey, now);
    },
    /**
     * The cached pair with this key, even if its entry is stale; undefined after a lookup found the
     * pair revoked, expired or unknown. Use it only for admission. Endpoints authenticate with
     * `find`.
     */
    entryOfAnyAge: (apiKey: string) => entries.peek(apiKey)?.keyPair,
    /** Whether the pair was live when this process last read it, even if that was long ago. */
    isKnown,
    /** Whether `find` would share a lookup of this pair that is in progress. */
    isBeingRead: (apiKey: string) => lookups.current(apiKey, clock.now().getTime()) !== undefined,
    /**
     * Looks the key up as if it were unknown and caches nothing. A wrong secret of a cached pair
     * thus costs the same as an unknown key.
     */
    async findAsUnknown(apiKey: string) {
      onLookUp(false);
      await store.findLive(apiKey, false);
    },
    /**
     * Fills free capacity with pairs that were read in bulk, as stale entries: `entryOfAnyAge`
     * returns them, and `find` reads them again. Existing entries stay unchanged.
     */
    seed(mostRecentFirst: readonly StoredKeyPair[]) {
      const missing = mostRecentFirst.filter(({ principal }) => !entries.has(principal.apiKey));
      for (const keyPair of missing.slice(0, capacity - entries.size).reverse())
        entries.set(keyPair.principal.apiKey, { keyPair, readAt: -Infinity });
    },
    /**
     * Makes one entry stale, or all entries without `apiKey`, so that the next use reads them
     * again.
     */
    forget(apiKey?: string) {
      const forgotten = apiKey === undefined ? entries.values() : [entries.peek(apiKey) ?? []].flat();
      for (const entry of forgotten) entry.readAt = -Infinity;
      lookups.forget(apiKey);
    },
  };
}
