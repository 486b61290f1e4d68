import { LRUCache } from 'lru-cache';

import type { Clock } from '../../shared/clock';
import type { KeyPairsStore, StoredKeyPair } from './key-pairs.store';
import type { KnownKeyPairs } from './known-key-pairs';

/** While revocations are not known to reach this process, an entry lives at most this long. */
const unwatchedLifetimeMs = 1_000;
/** While they do, an entry is read anew this often all the same. */
const watchedLifetimeMs = 60_000;

export interface KeyPairCache {
  /** The live pair with this key, if it is in memory. */
  inMemory(apiKey: string): StoredKeyPair | undefined;
  /** The live pair with this key, from memory or from the database. */
  find(apiKey: string): Promise<StoredKeyPair | undefined>;
  /**
   * The pair as it was last read, of any age; undefined once it was found to be revoked, expired or
   * unknown. It decides whose turn a request is, and nothing else: the endpoint authenticates with
   * `find`.
   */
  entryOfAnyAge(apiKey: string): StoredKeyPair | undefined;
  /** Whether the pair was live when this process last heard of it, however long ago. */
  isKnown(apiKey: string): boolean;
  /** Whether a look-up of this pair is under way that `find` would share. */
  isBeingRead(apiKey: string): boolean;
  /**
   * Looks the key up as if it were unknown, and keeps nothing: what a wrong secret of a pair in
   * memory costs.
   */
  findAsUnknown(apiKey: string): Promise<void>;
  /**
   * Keeps pairs that were read together, while there is room, as if they had been forgotten:
   * `entryOfAnyAge` has them, and `find` reads them anew. A pair that is there already stays as it
   * is.
   */
  seed(mostRecentFirst: readonly StoredKeyPair[]): void;
  /** Makes one pair, or all of them, be read anew before the next use. */
  forget(apiKey?: string): void;
}

interface LookUp {
  keyPair: Promise<StoredKeyPair | undefined>;
  readAt: number;
  /** Whether it was begun as the look-up of a pair that is known. */
  isOfKnown: boolean;
}

interface Entry {
  keyPair: StoredKeyPair;
  /** -Infinity once it was forgotten. */
  readAt: number;
}

/**
 * Keeps live key pairs in memory, so that authentication needs no round trip of its own.
 * Unknown keys are not kept: a stranger could fill the memory with them.
 *
 * @param known told of each pair that was found, and of each that was not; it remembers them for
 *   longer
 * @param capacity the most pairs kept; the least recently read one makes room
 * @param isWatched whether revocations reach this process at present
 * @param onLookUp told whether a pair was in memory, or on its way there, and cost no round trip
 */
export function createKeyPairCache(
  store: Pick<KeyPairsStore, 'findLive'>,
  known: Pick<KnownKeyPairs, 'has' | 'add' | 'remove'>,
  clock: Clock,
  capacity: number,
  isWatched: () => boolean,
  onLookUp: (isInMemory: boolean) => void = () => undefined,
): KeyPairCache {
  const entries = new LRUCache<string, Entry>({ max: capacity });
  // Who asks for the same pair at the same time shares one look-up, while it is no older than an
  // entry may be. What was forgotten meanwhile is no longer in here: it may have been read before
  // what it was to be forgotten for.
  const lookUps = new Map<string, LookUp>();

  function fresh(entry: Entry, now: number): boolean {
    const age = now - entry.readAt;
    const expiresAt = entry.keyPair.expiresAt?.getTime() ?? Infinity;
    return age >= 0 && age < (isWatched() ? watchedLifetimeMs : unwatchedLifetimeMs) && now < expiresAt;
  }

  function keep(apiKey: string, keyPair: StoredKeyPair | undefined, readAt: number): void {
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
    if (!entry || !fresh(entry, clock.now().getTime())) return undefined;
    onLookUp(true);
    return entry.keyPair;
  }

  const isKnown = (apiKey: string): boolean => entries.has(apiKey) || known.has(apiKey);

  /**
   * A pair that has become known does not wait for a look-up from when it was not: strangers may
   * have filled that queue.
   */
  function shared(apiKey: string, now: number): LookUp | undefined {
    const lookUp = lookUps.get(apiKey);
    if (!lookUp || (isKnown(apiKey) && !lookUp.isOfKnown)) return undefined;
    const age = now - lookUp.readAt;
    return age >= 0 && age < unwatchedLifetimeMs ? lookUp : undefined;
  }

  return {
    inMemory,
    async find(apiKey) {
      const entry = inMemory(apiKey);
      if (entry) return entry;
      const readAt = clock.now().getTime();
      const underWay = shared(apiKey, readAt);
      if (underWay) {
        onLookUp(true);
        return underWay.keyPair;
      }
      onLookUp(false);
      const isOfKnown = isKnown(apiKey);
      const lookUp = { keyPair: store.findLive(apiKey, isOfKnown), readAt, isOfKnown };
      lookUps.set(apiKey, lookUp);
      try {
        const keyPair = await lookUp.keyPair;
        if (lookUps.get(apiKey) === lookUp) keep(apiKey, keyPair, readAt);
        return keyPair;
      } finally {
        if (lookUps.get(apiKey) === lookUp) lookUps.delete(apiKey);
      }
    },
    entryOfAnyAge: (apiKey) => entries.peek(apiKey)?.keyPair,
    isKnown,
    isBeingRead: (apiKey) => shared(apiKey, clock.now().getTime()) !== undefined,
    async findAsUnknown(apiKey) {
      onLookUp(false);
      await store.findLive(apiKey, false);
    },
    seed(mostRecentFirst) {
      const missing = mostRecentFirst.filter(({ apiKey }) => !entries.has(apiKey));
      for (const keyPair of missing.slice(0, capacity - entries.size).reverse())
        entries.set(keyPair.apiKey, { keyPair, readAt: -Infinity });
    },
    forget(apiKey) {
      const forgotten = apiKey === undefined ? entries.values() : [entries.peek(apiKey) ?? []].flat();
      for (const entry of forgotten) entry.readAt = -Infinity;
      if (apiKey === undefined) lookUps.clear();
      else lookUps.delete(apiKey);
    },
  };
}
