import fc from 'fast-check';

import { createTokenBuckets } from '../../src/shared/token-buckets';

let now = 0;
const clock = () => now;
const rate = { perSecond: 10, burst: 5 };

beforeEach(() => {
  now = 1_000_000;
});

test('a new bucket gives its burst and then nothing', () => {
  const buckets = createTokenBuckets(10, clock);
  const taken = Array.from({ length: 6 }, () => buckets.take('a', rate));
  expect(taken.map(({ isTaken }) => isTaken)).toEqual([true, true, true, true, true, false]);
  expect(taken.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0, 0]);
});

test('an empty bucket says when the next token is available and when it is full, and both are correct', () => {
  const buckets = createTokenBuckets(10, clock);
  for (let count = 0; count < 5; count += 1) buckets.take('a', rate);
  const refused = buckets.take('a', rate);
  expect(refused.secondsUntilNext).toBeCloseTo(0.1);
  expect(refused.secondsUntilFull).toBeCloseTo(0.5);
  now += 99;
  expect(buckets.take('a', rate).isTaken).toBe(false);
  now += 1;
  expect(buckets.take('a', rate).isTaken).toBe(true);
  expect(buckets.take('a', rate).isTaken).toBe(false);
});

test('a rejection costs nothing: a caller that keeps trying does not wait longer', () => {
  const buckets = createTokenBuckets(10, clock);
  for (let count = 0; count < 100; count += 1) buckets.take('a', rate);
  now += 100;
  expect(buckets.take('a', rate).isTaken).toBe(true);
});

test('a pause fills a bucket up to its burst', () => {
  const buckets = createTokenBuckets(10, clock);
  buckets.take('a', rate);
  now += 3_600_000;
  expect(buckets.take('a', rate)).toEqual({
    isTaken: true,
    remaining: 4,
    secondsUntilFull: 0.1,
    secondsUntilNext: 0,
  });
});

test('a returned token can be taken again', () => {
  const buckets = createTokenBuckets(10, clock);
  for (let count = 0; count < 5; count += 1) buckets.take('a', rate);
  buckets.putBack('a', rate);
  expect([buckets.take('a', rate).isTaken, buckets.take('a', rate).isTaken]).toEqual([true, false]);
  buckets.putBack('never taken', rate);
  expect(buckets.take('never taken', rate).remaining).toBe(4);
});

test('each key has a separate bucket', () => {
  const buckets = createTokenBuckets(10, clock);
  for (let count = 0; count < 6; count += 1) buckets.take('a', rate);
  expect(buckets.take('b', rate).isTaken).toBe(true);
});

test('the least recently used bucket is evicted, and no other', () => {
  const buckets = createTokenBuckets(2, clock);
  const empty = (key: string) => {
    for (let count = 0; count < 5; count += 1) buckets.take(key, rate);
  };
  empty('a');
  empty('b');
  buckets.take('a', rate);
  empty('c');
  expect(buckets.take('a', rate).isTaken).toBe(false);
  expect(buckets.take('b', rate).isTaken).toBe(true);
});

test('over any time, at most the burst plus the rate is allowed, and every caller below that is', () => {
  fc.assert(
    fc.property(
      fc.record({ perSecond: fc.integer({ min: 1, max: 1_000 }), burst: fc.integer({ min: 1, max: 1_000 }) }),
      fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 500 }),
      (anyRate, pauses) => {
        now = 0;
        const buckets = createTokenBuckets(1, clock);
        let taken = 0;
        for (const pause of pauses) {
          now += pause;
          const { isTaken } = buckets.take('a', anyRate);
          if (isTaken) taken += 1;
          const allowed = anyRate.burst + (now / 1_000) * anyRate.perSecond;
          expect(taken).toBeLessThanOrEqual(allowed + 1e-3);
          if (pauses.length <= anyRate.burst) expect(isTaken).toBe(true);
        }
      },
    ),
  );
});
