import { createResponseCache } from '../../src/http/response/response-cache';
import type { JsonBytes } from '../../src/http/response/send-json';

let now = 0;
let made = 0;

beforeEach(() => {
  now = 0;
  made = 0;
});

const createCache = (lifetimeMs: number, capacityBytes = 100) =>
  createResponseCache(lifetimeMs, capacityBytes, () => now);

/** Makes a response of this many bytes. The value of every byte is the response's number. */
const make =
  (length = 10) =>
  (): Promise<JsonBytes> => {
    made += 1;
    return Promise.resolve({ bytes: Buffer.alloc(length, made), digest: String(made) });
  };

test('a response is returned from the cache until it expires, counted from before it was read', async () => {
  const kept = createCache(1_000);
  const slow = kept.find('a', async () => {
    now = 600;
    return make()();
  });
  expect((await slow).digest).toBe('1');
  now = 999;
  expect((await kept.find('a', make())).digest).toBe('1');
  now = 1_000;
  expect((await kept.find('a', make())).digest).toBe('2');
});

test('each key has a separate response', async () => {
  const kept = createCache(1_000);
  await kept.find('a', make());
  expect((await kept.find('b', make())).digest).toBe('2');
});

test('concurrent callers share one response that is being made', async () => {
  const kept = createCache(1_000);
  const all = await Promise.all([1, 2, 3].map(() => kept.find('a', make())));
  expect(all.map(({ digest }) => digest)).toEqual(['1', '1', '1']);
});

test('a failure is passed to those who share it, and is not cached', async () => {
  const kept = createCache(1_000);
  const fail = () => Promise.reject(new Error('the database is away'));
  const all = await Promise.allSettled([kept.find('a', fail), kept.find('a', make())]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await kept.find('a', make())).digest).toBe('1');
});

test('with a lifetime of 0 nothing is cached and nothing is shared', async () => {
  const kept = createCache(0);
  const all = await Promise.all([1, 2].map(() => kept.find('a', make())));
  expect(all.map(({ digest }) => digest)).toEqual(['1', '2']);
});

test('beyond the capacity the oldest is evicted', async () => {
  const kept = createCache(1_000, 25);
  for (const key of ['a', 'b', 'c']) await kept.find(key, make());
  expect((await kept.find('c', make())).digest).toBe('3');
  expect((await kept.find('b', make())).digest).toBe('2');
  expect((await kept.find('a', make())).digest).toBe('4');
});

test('an expired response is evicted, and its bytes are not counted twice', async () => {
  const kept = createCache(1_000, 25);
  for (let round = 0; round < 10; round += 1) {
    now += 1_000;
    await kept.find('a', make());
    await kept.find('b', make());
  }
  expect((await kept.find('a', make())).digest).toBe('19');
  expect((await kept.find('b', make())).digest).toBe('20');
});
