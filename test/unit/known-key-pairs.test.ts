import { setTimeout as delay } from 'node:timers/promises';

import type { StoredKeyPair } from '../../src/core/key-pairs/key-pairs.store';
import { createKnownKeyPairs, type KnownKeyPairs } from '../../src/core/key-pairs/known-key-pairs';

/** The set of known keys. test/api/known-key-pairs.long.test.ts tests its effect for partners. */
let now: number;
let live: string[];
/** The start of the requested range of uses, for each read. */
let reads: (Date | undefined)[];
let isAway: boolean;
let known: KnownKeyPairs;

beforeEach(() => {
  now = Date.UTC(2026, 10, 22);
  live = [];
  reads = [];
  isAway = false;
  const store = {
    async listLive(limit: number, usedSince: Date | undefined) {
      reads.push(usedSince);
      await delay(1);
      if (isAway) throw new Error('away');
      return live.slice(0, limit).map((apiKey) => ({ principal: { apiKey } }) as StoredKeyPair);
    },
  };
  known = createKnownKeyPairs(store, 3, () => now);
});

const which = (...apiKeys: string[]): string[] => apiKeys.filter((apiKey) => known.has(apiKey));

test('is loaded once for all waiting callers', async () => {
  live = ['a', 'b'];
  await Promise.all([known.warm(), known.warm()]);
  await known.warm();
  expect(which('a', 'b', 'c')).toEqual(['a', 'b']);
  expect(reads).toEqual([undefined]);
});

test('is loaded by the next call after a failure', async () => {
  live = ['a'];
  isAway = true;
  await expect(known.warm()).rejects.toThrow('away');
  isAway = false;
  await known.warm();
  expect(which('a')).toEqual(['a']);
});

test('a refresh reads key pairs used since five minutes before the last read', async () => {
  const warmedAt = now;
  await known.warm();
  now += 60_000;
  live = ['b'];
  await known.refresh();
  expect(reads).toEqual([undefined, new Date(warmedAt - 300_000)]);
  expect(which('b')).toEqual(['b']);
});

test('a failed refresh omits nothing the next time', async () => {
  const warmedAt = now;
  await known.warm();
  isAway = true;
  now += 60_000;
  await expect(known.refresh()).rejects.toThrow('away');
  now += 60_000;
  await known.refresh().catch(() => undefined);
  expect(reads.slice(1)).toEqual([new Date(warmedAt - 300_000), new Date(warmedAt - 300_000)]);
});

test('a full set evicts the key that was added longest ago, and keeps the most recently used ones', async () => {
  live = ['newest', 'newer', 'old', 'oldest'];
  await known.warm();
  expect(which(...live)).toEqual(['newest', 'newer', 'old']);
  known.add('x');
  expect(which('x', ...live)).toEqual(['x', 'newest', 'newer']);
  known.add('newer');
  known.add('y');
  expect(which('x', 'y', ...live)).toEqual(['x', 'y', 'newer']);
});

test('a key that was removed is no longer known', async () => {
  live = ['a', 'b'];
  await known.warm();
  known.remove('a');
  expect(which('a', 'b')).toEqual(['b']);
});
