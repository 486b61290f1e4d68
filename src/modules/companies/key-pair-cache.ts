import type { Clock } from '../../shared/clock';
import type { KeyPairsStore, StoredKeyPair } from './key-pairs.store';

/** While revocations are not known to reach this process, an entry lives at most this long. */
const unwatchedLifetimeMs = 1_000;
/** While they do, an entry is read anew this often all the same. */
const watchedLifetimeMs = 60_000;

export interface KeyPairCache {
  /** The live pair with this key, from memory or from the database. */
  find(apiKey: string): Promise<StoredKeyPair | undefined>;
  /** Whether the pair was live when it was last read and nothing has been heard of it since. */
  isKnown(apiKey: string): boolean;
  /** Forgets one pair, or all of them. */
  forget(apiKey?: string): void;
}

interface Entry {
  keyPair: StoredKeyPair;
  readAt: number;
}

/**
 * Keeps live key pairs in memory, so that authentication needs no round trip of its own.
 * Unknown keys are not kept: a stranger could fill the memory with them.
 *
 * @param capacity the most pairs kept; the least recently read one makes room
 * @param isWatched whether revocations reach this process at present
 */
export function createKeyPairCache(
  store: Pick<KeyPairsStore, 'findLive'>,
  clock: Clock,
  capacity: number,
  isWatched: () => boolean,
): KeyPairCache {
  const entries = new Map<string, Entry>();
  // Counts the calls of forget: what was read from the database before one of them may be what it wanted forgotten.
  let generation = 0;

  function fresh(entry: Entry, now: number): boolean {
    const age = now - entry.readAt;
    const expiresAt = entry.keyPair.expiresAt?.getTime() ?? Infinity;
    return age >= 0 && age < (isWatched() ? watchedLifetimeMs : unwatchedLifetimeMs) && now < expiresAt;
  }

  return {
    async find(apiKey) {
      const readAt = clock.now().getTime();
      const entry = entries.get(apiKey);
      if (entry && fresh(entry, readAt)) return entry.keyPair;
      const generationBefore = generation;
      const keyPair = await store.findLive(apiKey);
      entries.delete(apiKey);
      if (keyPair && generation === generationBefore) {
        const [oldest] = entries.keys();
        if (entries.size >= capacity && oldest !== undefined) entries.delete(oldest);
        entries.set(apiKey, { keyPair, readAt });
      }
      return keyPair;
    },
    isKnown: (apiKey) => entries.has(apiKey),
    forget(apiKey) {
      generation += 1;
      if (apiKey === undefined) entries.clear();
      else entries.delete(apiKey);
    },
  };
}
