import { createKeyPairCache, type KeyPairCache } from '../../src/core/key-pairs/key-pair-cache';
import type { KeyPairsStore, StoredKeyPair } from '../../src/core/key-pairs/key-pairs.store';
import { createKnownKeyPairs, type KnownKeyPairs } from '../../src/core/key-pairs/known-key-pairs';

/**
 * What the cache of verified key pairs stores and for how long, to the millisecond.
 * test/api/authentication-revocation.test.ts tests revocations in a running service.
 */
let now: number;
let isWatched: boolean;
let live: Map<string, StoredKeyPair>;
let reads: string[];
/** Keys that were read as known, with the database connections that are reserved for known keys. */
let readsOfKnown: string[];
let known: KnownKeyPairs;
/** Called while a key pair is read, before the reply arrives. */
let whileReading: () => void;
let cache: KeyPairCache;

const store: Pick<KeyPairsStore, 'findLive'> = {
  async findLive(apiKey, isKnown) {
    reads.push(apiKey);
    if (isKnown) readsOfKnown.push(apiKey);
    const keyPair = live.get(apiKey);
    await Promise.resolve();
    whileReading();
    return keyPair;
  },
};

function pair(apiKey: string, expiresAt: Date | null = null): StoredKeyPair {
  return {
    principal: {
      apiKey,
      environmentId: 1,
      environmentKind: 'test',
      transactionTag: 'AAA0',
      faultyOperations: [],
      isFrozen: false,
      scopes: ['projects:read'],
      rateLimits: { requestsPerSecond: null, completionsPerSecond: null },
    },
    secretHmac: Buffer.alloc(32),
    pepperVersion: 1,
    expiresAt,
  };
}

function put(apiKey: string, expiresAt: Date | null = null): StoredKeyPair {
  const keyPair = pair(apiKey, expiresAt);
  live.set(apiKey, keyPair);
  return keyPair;
}

beforeEach(() => {
  now = Date.UTC(2026, 10, 21);
  isWatched = true;
  live = new Map();
  reads = [];
  readsOfKnown = [];
  whileReading = () => undefined;
  known = createKnownKeyPairs({ listLive: () => Promise.resolve([]) }, 10, () => now);
  cache = createKeyPairCache(store, known, { now: () => new Date(now) }, 3, () => isWatched);
});

describe('a key pair that was found', () => {
  test('is cached for a minute while revocations arrive, and not a millisecond longer', async () => {
    const keyPair = put('a');
    expect(await cache.find('a')).toBe(keyPair);
    now += 59_999;
    expect(await cache.find('a')).toBe(keyPair);
    expect(reads).toEqual(['a']);
    now += 1;
    expect(await cache.find('a')).toBe(keyPair);
    expect(reads).toEqual(['a', 'a']);
  });

  test('is cached for a second while they do not arrive, and not a millisecond longer', async () => {
    isWatched = false;
    put('a');
    await cache.find('a');
    now += 999;
    await cache.find('a');
    expect(reads).toEqual(['a']);
    now += 1;
    await cache.find('a');
    expect(reads).toEqual(['a', 'a']);
  });

  test('is judged by whether revocations arrive now, not by whether they did when it was read', async () => {
    put('a');
    await cache.find('a');
    now += 1_000;
    isWatched = false;
    await cache.find('a');
    expect(reads).toEqual(['a', 'a']);
  });

  test('is served until it expires', async () => {
    put('a', new Date(now + 500));
    await cache.find('a');
    now += 499;
    await cache.find('a');
    expect(reads).toEqual(['a']);
    live.clear();
    now += 1;
    expect(await cache.find('a')).toBeUndefined();
  });

  test('is read again when the clock was set back, because its age is unknown', async () => {
    put('a');
    await cache.find('a');
    now -= 1;
    await cache.find('a');
    expect(reads).toEqual(['a', 'a']);
  });

  test('has an age that counts from before it was read', async () => {
    put('a');
    whileReading = () => {
      now += 30_000;
    };
    await cache.find('a');
    now += 30_000;
    await cache.find('a');
    expect(reads).toEqual(['a', 'a']);
  });
});

describe('a key pair that is requested while it is being read', () => {
  test('is read once for all callers', async () => {
    const keyPair = put('a');
    expect(await Promise.all([cache.find('a'), cache.find('a'), cache.find('a')])).toEqual([
      keyPair,
      keyPair,
      keyPair,
    ]);
    expect(reads).toEqual(['a']);
  });

  test('is read again for a caller a second later, because the first result may be too old by then', async () => {
    put('a');
    const first = cache.find('a');
    now += 1_000;
    await Promise.all([first, cache.find('a')]);
    expect(reads).toEqual(['a', 'a']);
  });

  test('is read again for a caller after it was invalidated', async () => {
    put('a');
    const first = cache.find('a');
    cache.forget('a');
    live.delete('a');
    expect(await cache.find('a')).toBeUndefined();
    await first;
    expect(reads).toEqual(['a', 'a']);
  });

  test('counts as being read until the result arrives, and as known only if it was found', async () => {
    const first = cache.find('a');
    expect([cache.isBeingRead('a'), cache.isKnown('a')]).toEqual([true, false]);
    await first;
    expect([cache.isBeingRead('a'), cache.isKnown('a')]).toEqual([false, false]);
    put('a');
    await cache.find('a');
    expect([cache.isBeingRead('a'), cache.isKnown('a')]).toEqual([false, true]);
  });

  test('does not count as being read once that lookup is too old to be shared', async () => {
    const first = cache.find('a');
    now += 1_000;
    expect(cache.isBeingRead('a')).toBe(false);
    await first;
  });

  test('is read again as a known key for a caller after it became known', async () => {
    const first = cache.find('a');
    known.add('a');
    await Promise.all([first, cache.find('a')]);
    expect(reads).toEqual(['a', 'a']);
    expect(readsOfKnown).toEqual(['a']);
  });
});

describe('a key pair that was not found', () => {
  test('is not cached: it is found as soon as it exists', async () => {
    expect(await cache.find('a')).toBeUndefined();
    const keyPair = put('a');
    expect(await cache.find('a')).toBe(keyPair);
  });

  test('evicts no other', async () => {
    for (const apiKey of ['a', 'b', 'c']) put(apiKey);
    for (const apiKey of ['a', 'b', 'c', 'x', 'y', 'z']) await cache.find(apiKey);
    reads = [];
    for (const apiKey of ['a', 'b', 'c']) await cache.find(apiKey);
    expect(reads).toEqual([]);
  });
});

describe('invalidating', () => {
  beforeEach(async () => {
    for (const apiKey of ['a', 'b']) {
      put(apiKey);
      await cache.find(apiKey);
    }
    reads = [];
  });

  test('one key pair keeps the others', async () => {
    cache.forget('a');
    await cache.find('a');
    await cache.find('b');
    expect(reads).toEqual(['a']);
  });

  test('all key pairs keeps none', async () => {
    cache.forget();
    await cache.find('a');
    await cache.find('b');
    expect(reads).toEqual(['a', 'b']);
  });

  test.each([
    ['that pair', 'c'],
    ['all pairs', undefined],
  ])('%s during a read discards the result of the read', async (_what, apiKey) => {
    put('c');
    whileReading = () => {
      cache.forget(apiKey);
    };
    expect(await cache.find('c')).toBeDefined();
    whileReading = () => undefined;
    reads = [];
    live.delete('c');
    expect(await cache.find('c')).toBeUndefined();
    expect(reads).toEqual(['c']);
  });
});

describe('the entry of any age', () => {
  test('is the key pair as last read, even after it has expired or was invalidated', async () => {
    const keyPair = put('a');
    expect(cache.entryOfAnyAge('a')).toBeUndefined();
    await cache.find('a');
    now += 3_600_000;
    expect(cache.inMemory('a')).toBeUndefined();
    expect(cache.entryOfAnyAge('a')).toBe(keyPair);
    cache.forget('a');
    expect(cache.entryOfAnyAge('a')).toBe(keyPair);
    cache.forget();
    expect(cache.entryOfAnyAge('a')).toBe(keyPair);
    expect(cache.isKnown('a')).toBe(true);
  });

  test('is removed once the key pair is no longer found', async () => {
    put('a');
    await cache.find('a');
    live.delete('a');
    cache.forget('a');
    await cache.find('a');
    expect(cache.entryOfAnyAge('a')).toBeUndefined();
    expect(cache.isKnown('a')).toBe(false);
  });

  test('is the newer one once the key pair was read again', async () => {
    put('a');
    await cache.find('a');
    const newer = put('a');
    cache.forget('a');
    await cache.find('a');
    expect(cache.entryOfAnyAge('a')).toBe(newer);
  });
});

describe('a key pair that was found once', () => {
  test('stays known and is read as known after it was evicted from the cache', async () => {
    for (const apiKey of ['a', 'b', 'c', 'd']) {
      put(apiKey);
      await cache.find(apiKey);
    }
    expect(readsOfKnown).toEqual([]);
    expect(cache.entryOfAnyAge('a')).toBeUndefined();
    expect(cache.isKnown('a')).toBe(true);
    await cache.find('a');
    expect(readsOfKnown).toEqual(['a']);
  });

  test('is unknown again after it was not found', async () => {
    put('a');
    await cache.find('a');
    live.delete('a');
    cache.forget();
    await cache.find('a');
    readsOfKnown = [];
    await cache.find('a');
    expect(cache.isKnown('a')).toBe(false);
    expect(readsOfKnown).toEqual([]);
  });
});

describe('key pairs that were read in a batch', () => {
  test('are recognized at any age, and read again before they are used', async () => {
    const [a, b] = [put('a'), put('b')];
    cache.seed([a, b]);
    expect([cache.entryOfAnyAge('a'), cache.entryOfAnyAge('b')]).toEqual([a, b]);
    expect([cache.inMemory('a'), cache.isKnown('a')]).toEqual([undefined, true]);
    await cache.find('a');
    expect(readsOfKnown).toEqual(['a']);
  });

  test('evict no existing entry, and the most recently used come first', async () => {
    const fresh = put('a');
    await cache.find('a');
    cache.seed([pair('x'), pair('a'), pair('y'), pair('z')]);
    expect(cache.inMemory('a')).toBe(fresh);
    const kept = ['x', 'y', 'z'].filter((apiKey) => cache.entryOfAnyAge(apiKey));
    expect(kept).toEqual(['x', 'y']);
  });
});

describe('a lookup for a wrong secret', () => {
  test('is treated like one of an unknown key, is not shared, and caches nothing', async () => {
    put('a');
    await cache.find('a');
    reads = [];
    await Promise.all([cache.findAsUnknown('a'), cache.findAsUnknown('a')]);
    expect(cache.isBeingRead('a')).toBe(false);
    expect([reads, readsOfKnown]).toEqual([['a', 'a'], []]);
  });
});

describe('a full cache', () => {
  test('evicts the key pair that was read longest ago, and stays at its capacity', async () => {
    for (const apiKey of ['a', 'b', 'c', 'd']) {
      put(apiKey);
      await cache.find(apiKey);
    }
    reads = [];
    for (const apiKey of ['b', 'c', 'd']) await cache.find(apiKey);
    expect(reads).toEqual([]);
    await cache.find('a');
    expect(reads).toEqual(['a']);
  });

  test('evicts none for a key pair that is read again', async () => {
    for (const apiKey of ['a', 'b', 'c']) {
      put(apiKey);
      await cache.find(apiKey);
    }
    cache.forget('b');
    await cache.find('b');
    reads = [];
    for (const apiKey of ['a', 'b', 'c']) await cache.find(apiKey);
    expect(reads).toEqual([]);
  });

  test('treats a key pair that is read again as the newest', async () => {
    put('a');
    await cache.find('a');
    now += 30_000;
    for (const apiKey of ['b', 'c']) {
      put(apiKey);
      await cache.find(apiKey);
    }
    now += 30_000;
    await cache.find('a');
    put('d');
    await cache.find('d');
    reads = [];
    await cache.find('a');
    expect(reads).toEqual([]);
    await cache.find('b');
    expect(reads).toEqual(['b']);
  });
});
