import type { KeyPairsStore, StoredKeyPair } from './key-pairs.store';

interface Lookup {
  keyPair: Promise<StoredKeyPair | undefined>;
  /** Epoch milliseconds. */
  startedAt: number;
  /** Whether the pair was known when the lookup started. */
  isOfKnown: boolean;
}

/**
 * Lookups of key pairs in progress, so that concurrent callers share one.
 *
 * @param maxAgeMs the maximum age of a lookup that a caller may share
 * @param put receives the result of each lookup that was not discarded meanwhile
 */
export function createSharedLookups(
  store: Pick<KeyPairsStore, 'findLive'>,
  isKnown: (apiKey: string) => boolean,
  maxAgeMs: number,
  put: (apiKey: string, keyPair: StoredKeyPair | undefined, readAt: number) => void,
) {
  const lookups = new Map<string, Lookup>();
  return {
    /** The result of a lookup in progress that a caller may share. */
    current(apiKey: string, now: number) {
      const lookup = lookups.get(apiKey);
      // Start a new lookup if the pair became known after this one started. This one may wait in
      // the queue for unknown keys, which strangers may have filled.
      if (!lookup || (isKnown(apiKey) && !lookup.isOfKnown)) return undefined;
      const age = now - lookup.startedAt;
      return age >= 0 && age < maxAgeMs ? lookup.keyPair : undefined;
    },
    async start(apiKey: string, now: number) {
      const isOfKnown = isKnown(apiKey);
      const lookup = { keyPair: store.findLive(apiKey, isOfKnown), startedAt: now, isOfKnown };
      lookups.set(apiKey, lookup);
      try {
        const keyPair = await lookup.keyPair;
        if (lookups.get(apiKey) === lookup) put(apiKey, keyPair, now);
        return keyPair;
      } finally {
        if (lookups.get(apiKey) === lookup) lookups.delete(apiKey);
      }
    },
    /** Discards the lookup of one key, or all lookups, because they may have read outdated rows. */
    forget(apiKey?: string) {
      if (apiKey === undefined) lookups.clear();
      else lookups.delete(apiKey);
    },
  };
}
