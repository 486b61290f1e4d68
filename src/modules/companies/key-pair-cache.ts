import type { Clock } from '../../shared/clock';
import type { KeyPairsStore, StoredKeyPair } from './key-pairs.store';

/** While revocations are not known to reach this process, an entry lives at most this long. */
const unwatchedLifetimeMs = 1_000;
/** While they do, an entry is read anew this often all the same. */
const watchedLifetimeMs = 60_000;

export interface KeyPairCache {
  /** The live pair with this key, if it is in memory. */
  inMemory(apiKey: string): StoredKeyPair | undefined;
  /** The live pair with this key, from memory or from the database. */
  find(apiKey: string): Promise<StoredKeyPair | undefined>;
  /** Whether the pair was live when it was last read and nothing has been heard of it since, or is being read just now. */
  isKnown(apiKey: string): boolean;
  /** Forgets one pair, or all of them. */
  forget(apiKey?: string): void;
}

interface LookUp {
  keyPair: Promise<StoredKeyPair | undefined>;
  readAt: number;
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
 * @param onLookUp told whether a pair was in memory, or on its way there, and cost no round trip
 */
export function createKeyPairCache(
  store: Pick<KeyPairsStore, 'findLive'>,
  clock: Clock,
  capacity: number,
  isWatched: () => boolean,
  onLookUp: (isInMemory: boolean) => void = () => undefined,
): KeyPairCache {
  const entries = new Map<string, Entry>();
  // Who asks for the same pair at the same time shares one look-up, while it is no older than an entry may be. What was
  // forgotten meanwhile is no longer in here: it may have been read before what it was to be forgotten for.
  const lookUps = new Map<string, LookUp>();

  function fresh(entry: Entry, now: number): boolean {
    const age = now - entry.readAt;
    const expiresAt = entry.keyPair.expiresAt?.getTime() ?? Infinity;
    return age >= 0 && age < (isWatched() ? watchedLifetimeMs : unwatchedLifetimeMs) && now < expiresAt;
  }

  function keep(apiKey: string, keyPair: StoredKeyPair | undefined, readAt: number): void {
    entries.delete(apiKey);
    if (!keyPair) return;
    const [oldest] = entries.keys();
    if (entries.size >= capacity && oldest !== undefined) entries.delete(oldest);
    entries.set(apiKey, { keyPair, readAt });
  }

  function inMemory(apiKey: string): StoredKeyPair | undefined {
    const entry = entries.get(apiKey);
    if (!entry || !fresh(entry, clock.now().getTime())) return undefined;
    onLookUp(true);
    return entry.keyPair;
  }

  return {
    inMemory,
    async find(apiKey) {
      const known = inMemory(apiKey);
      if (known) return known;
      const readAt = clock.now().getTime();
      const shared = lookUps.get(apiKey);
      if (shared && readAt - shared.readAt >= 0 && readAt - shared.readAt < unwatchedLifetimeMs) {
        onLookUp(true);
        return shared.keyPair;
      }
      onLookUp(false);
      const lookUp = { keyPair: store.findLive(apiKey), readAt };
      lookUps.set(apiKey, lookUp);
      try {
        const keyPair = await lookUp.keyPair;
        if (lookUps.get(apiKey) === lookUp) keep(apiKey, keyPair, readAt);
        return keyPair;
      } finally {
        if (lookUps.get(apiKey) === lookUp) lookUps.delete(apiKey);
      }
    },
    isKnown: (apiKey) => entries.has(apiKey) || lookUps.has(apiKey),
    forget(apiKey) {
      if (apiKey === undefined) {
        entries.clear();
        lookUps.clear();
      } else {
        entries.delete(apiKey);
        lookUps.delete(apiKey);
      }
    },
  };
}
