import { setTimeout as delay } from 'node:timers/promises';

import { keyPairChannel } from '../../src/shared/key-pair-channel';
import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { longTest } from '../support/full-run';

/** Failed authentications are counted per address and key, and for unknown keys per address. */
const projects = '/company/integration/get/projects';

let database: TestDatabase;
let proxy: PostgresProxy;
let service: TestService;
let company: TestCompany;
/** Well-formed credentials that do not exist. */
const strange = () => drawKeyPair('test');

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.url);
  service = await startService({
    database,
    databaseUrl: proxy.url,
    settings: {
      FAILED_AUTHENTICATIONS_PER_PAIR: '2',
      FAILED_AUTHENTICATIONS_PER_ADDRESS: '5',
      TRUSTED_PROXIES: '127.0.0.0/8',
    },
  });
  company = await service.addCompany();
});
afterEach(async () => {
  await service.stop();
  await proxy.stop();
  await database.drop();
});

const attempt = (from: string, apiKey: string, apiSecret: string) =>
  service.anonymous
    .get(projects)
    .set({ 'API-Key': apiKey, 'API-Secret': apiSecret, 'X-Forwarded-For': from })
    .then((response) => response);

const statusOf = async (from: string, apiKey: string, apiSecret = strange().apiSecret) =>
  (await attempt(from, apiKey, apiSecret)).status;

const rightSecret = (): [string, string] => [company.test.apiKey!, company.test.apiSecret!];

test('an unknown key gets 401, and after too many attempts 429 with Retry-After', async () => {
  const { apiKey, apiSecret } = strange();
  expect(await statusOf('192.0.2.1', apiKey, apiSecret)).toBe(401);
  expect(await statusOf('192.0.2.1', apiKey, apiSecret)).toBe(401);
  const throttled = await attempt('192.0.2.1', apiKey, apiSecret);
  expect(throttled.status).toBe(429);
  expect(throttled.body).toMatchObject({ code: 'authentication_throttled', retryable: true });
  // Two a minute: one token returns every 30 s.
  expect(Number(throttled.get('Retry-After'))).toBeGreaterThan(25);
  expect(Number(throttled.get('Retry-After'))).toBeLessThanOrEqual(30);
});

test.each([
  ['in use', true],
  ['not in use yet', false],
])('a wrong secret of a key pair that is %s is throttled like an unknown key', async (_what, inUse) => {
  if (inUse) await attempt('192.0.2.9', ...rightSecret());
  const statuses = [];
  for (let count = 0; count < 4; count += 1) statuses.push(await statusOf('192.0.2.1', company.test.apiKey!));
  expect(statuses).toEqual([401, 401, 429, 429]);
});

test('a wrong secret is handled like an unknown key: one lookup each time, and 503 without a database', async () => {
  const lookUps = () => proxy.roundTrips().filter((name) => /^find_(un)?known_key_pair$/.test(name)).length;
  const costOf = async (apiKey: string): Promise<[number, number]> => {
    const before = lookUps();
    return [await statusOf('192.0.2.1', apiKey), lookUps() - before];
  };
  await until('the pair is in memory', async () => {
    const before = lookUps();
    return (await statusOf('192.0.2.1', ...rightSecret())) === 200 && lookUps() === before;
  });
  expect(await costOf(company.test.apiKey!)).toEqual([401, 1]);
  expect(await costOf(strange().apiKey)).toEqual([401, 1]);
  proxy.refuse();
  expect(await statusOf('192.0.2.1', company.test.apiKey!)).toBe(503);
  expect(await statusOf('192.0.2.1', strange().apiKey)).toBe(503);
});

longTest(
  'a throttled wrong secret causes no lookup when the cache entry of its key pair has expired',
  async () => {
    const lookUps = () => proxy.roundTrips().filter((name) => /^find_(un)?known_key_pair$/.test(name)).length;
    expect(await statusOf('192.0.2.9', ...rightSecret())).toBe(200);
    for (let count = 0; count < 2; count += 1) await statusOf('192.0.2.1', company.test.apiKey!);
    await until('the right secret is looked up again', async () => {
      await database.admin.query('SELECT pg_notify($1, $2)', [keyPairChannel, company.test.apiKey]);
      await delay(100);
      const before = lookUps();
      expect(await statusOf('192.0.2.1', company.test.apiKey!)).toBe(429);
      expect(lookUps()).toBe(before);
      expect(await statusOf('192.0.2.1', ...rightSecret())).toBe(200);
      return lookUps() > before;
    });
  },
);

test("a success resets no failure: guesses between a partner's requests are throttled", async () => {
  const statuses = [];
  for (let count = 0; count < 4; count += 1) {
    expect(await statusOf('192.0.2.1', ...rightSecret())).toBe(200);
    statuses.push(await statusOf('192.0.2.1', company.test.apiKey!));
  }
  expect(statuses).toEqual([401, 401, 429, 429]);
});

test('failed attempts from another address do not lock out a partner', async () => {
  for (let count = 0; count < 10; count += 1) await statusOf('192.0.2.1', company.test.apiKey!);
  expect(await statusOf('192.0.2.2', ...rightSecret())).toBe(200);
});

test('failed attempts from the same address do not lock out an active partner', async () => {
  expect(await statusOf('192.0.2.1', ...rightSecret())).toBe(200);
  for (let count = 0; count < 10; count += 1) await statusOf('192.0.2.1', company.test.apiKey!);
  for (let count = 0; count < 10; count += 1) await statusOf('192.0.2.1', strange().apiKey);
  expect(await statusOf('192.0.2.1', ...rightSecret())).toBe(200);
});

test('a different unknown key each time is throttled for its address only', async () => {
  const statuses = [];
  for (let count = 0; count < 7; count += 1) statuses.push(await statusOf('192.0.2.1', strange().apiKey));
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  expect(await statusOf('192.0.2.2', strange().apiKey)).toBe(401);
});

longTest('unknown keys from a throttled address cause no database load', async () => {
  const lookUps = () => proxy.roundTrips().filter((name) => /^find_(un)?known_key_pair$/.test(name)).length;
  for (let count = 0; count < 5; count += 1) await statusOf('192.0.2.1', strange().apiKey);
  expect(lookUps()).toBe(5);
  for (let count = 0; count < 20; count += 1) expect(await statusOf('192.0.2.1', strange().apiKey)).toBe(429);
  expect(lookUps()).toBe(5);
});

longTest(
  'a partner that starts with many concurrent requests is not throttled and causes at most two lookups',
  async () => {
    // Until then, a pair is looked up every second.
    await until(
      'revocations are watched',
      () => proxy.connectionCount('contribution-service notifications') === 1,
    );
    const statuses = await Promise.all(
      Array.from({ length: 50 }, () => statusOf('192.0.2.1', ...rightSecret())),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    // The second lookup happens when the process starts to receive revocations, because that clears
    // the cache.
    const lookUps = proxy.roundTrips().filter((name) => /^find_(un)?known_key_pair$/.test(name)).length;
    expect([1, 2]).toContain(lookUps);
  },
);

test('concurrent wrong requests are throttled like the same number of sequential ones', async () => {
  const { apiKey, apiSecret } = strange();
  const statuses = await Promise.all(
    Array.from({ length: 20 }, () => statusOf('192.0.2.1', apiKey, apiSecret)),
  );
  expect(statuses.filter((status) => status === 401)).toHaveLength(2);
  expect(statuses.filter((status) => status === 429)).toHaveLength(18);
});

longTest('successful requests and failures of the database are not counted', async () => {
  const lookUps = () => proxy.roundTrips().filter((name) => /^find_(un)?known_key_pair$/.test(name)).length;
  for (let count = 1; count <= 5; count += 1) {
    await until('the pair is looked up again', async () => {
      expect(await statusOf('192.0.2.1', ...rightSecret())).toBe(200);
      return lookUps() === count;
    });
    // Clears the cache of every process.
    await service.companies.setRateLimits('test', company.name, { requestsPerSecond: 1_000 + count });
  }
  proxy.refuse();
  for (let count = 0; count < 10; count += 1) expect(await statusOf('192.0.2.1', strange().apiKey)).toBe(503);
  proxy.restore();
  expect(await statusOf('192.0.2.1', strange().apiKey)).toBe(401);
});

test('malformed credentials cause no lookup and are not counted', async () => {
  for (let count = 0; count < 10; count += 1) expect(await statusOf('192.0.2.1', 'cpk_test_short')).toBe(401);
  expect(await statusOf('192.0.2.1', strange().apiKey)).toBe(401);
});
