import { setTimeout as delay } from 'node:timers/promises';

import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { type Client, createClient } from '../support/client';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

/**
 * A caller without a valid key pair floods the service with unknown keys from a partner's address.
 * The partner is never throttled, whatever failure happens meanwhile.
 */
const projects = '/company/integration/get/projects';
const listener = 'contribution-service notifications';
const address = '192.0.2.1';
const settings = {
  FAILED_AUTHENTICATIONS_PER_PAIR: '2',
  FAILED_AUTHENTICATIONS_PER_ADDRESS: '5',
  TRUSTED_PROXIES: '127.0.0.0/8',
  // The test may wait longer on a busy machine.
  DATABASE_ACQUIRE_TIMEOUT_MS: '10000',
};

let database: TestDatabase;
let proxy: PostgresProxy;
let service: TestService;
let company: TestCompany;

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.url);
  service = await startService({ database, databaseUrl: proxy.url, settings });
  company = await service.addCompany();
  await until('there is a listening connection', () => proxy.connectionCount(listener) === 1);
});
afterEach(async () => {
  await service.stop();
  await proxy.stop();
  await database.drop();
});

const status = async (client: Pick<Client, 'get'>, from = address): Promise<number> =>
  (await client.get(projects).set('X-Forwarded-For', from)).status;

const strange = (from = address, at = service): Promise<number> => {
  const { apiKey, apiSecret } = drawKeyPair('test');
  return status(createClient(at.server, { apiKey, apiSecret }), from);
};

/** Sends unknown keys until the address is throttled. */
const exhaust = (from = address, at = service): Promise<void> =>
  until('the address is throttled', async () => (await strange(from, at)) === 429);

const lookUps = (kind: 'known' | 'unknown'): number =>
  proxy.roundTrips().filter((name) => name === `find_${kind}_key_pair`).length;

describe('a key pair in use, at a throttled address', () => {
  beforeEach(async () => {
    expect(await status(company.test)).toBe(200);
    await exhaust();
  });

  test('is accepted after the listening connection was terminated and restored', async () => {
    const { rows } = await database.admin.query<{ pid: number }>(
      `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = '${listener}'`,
    );
    expect(rows).toHaveLength(1);
    await until('there is another listening connection', async () => {
      expect(await status(company.test)).toBe(200);
      const { rowCount } = await database.admin.query(
        `SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = '${listener}' AND pid <> $1 AND state = 'idle'`,
        [rows[0]!.pid],
      );
      return rowCount === 1;
    });
    await exhaust();
    expect(await status(company.test)).toBe(200);
  });

  test('is accepted while the listening connection stalls, and afterwards', async () => {
    proxy.freeze(listener);
    const endsAt = performance.now() + 1_500;
    while (performance.now() < endsAt) {
      expect([await strange(), await status(company.test)]).toEqual([429, 200]);
      await delay(50);
    }
    proxy.restore();
    await until('there is a listening connection', async () => {
      expect([await strange(), await status(company.test)]).toEqual([429, 200]);
      return proxy.connectionCount(listener) === 1;
    });
    for (let count = 0; count < 10; count += 1) {
      expect([await strange(), await status(company.test)]).toEqual([429, 200]);
      await delay(50);
    }
  });

  test('is accepted after a restart, and by another process', async () => {
    const restarted = await startService({ database, databaseUrl: proxy.url, settings });
    try {
      await exhaust(address, restarted);
      const { apiKey, apiSecret } = company.test;
      expect(await status(createClient(restarted.server, { apiKey, apiSecret }))).toBe(200);
    } finally {
      await restarted.stop();
    }
  });

  test('is accepted by a process that was started without a database', async () => {
    proxy.refuse();
    const restarted = await startService({ database, databaseUrl: proxy.url, settings });
    try {
      expect(await strange(address, restarted)).toBe(503);
      proxy.restore();
      await exhaust(address, restarted);
      const { apiKey, apiSecret } = company.test;
      expect(await status(createClient(restarted.server, { apiKey, apiSecret }))).toBe(200);
    } finally {
      await restarted.stop();
    }
  });

  test('is looked up with the connections that are reserved for known key pairs', async () => {
    const before = { known: lookUps('known'), unknown: lookUps('unknown') };
    await service.companies.setRateLimits('test', company.name, { requestsPerSecond: 1_001 });
    await until('it is read again', async () => {
      expect(await status(company.test)).toBe(200);
      return lookUps('known') > before.known;
    });
    expect(lookUps('unknown')).toBe(before.unknown);
  });

  test('counts as unknown once it is revoked', async () => {
    await service.keyPairs.revoke(company.test.apiKey!);
    await until('it is rejected', async () => (await status(company.test, '192.0.2.2')) === 401);
    expect(await status(company.test)).toBe(429);
  });
});

test('a new key pair is accepted at a throttled address', async () => {
  await exhaust();
  const issued = await service.addPair(company, 'production', ['projects:read']);
  await until('the service has heard of it', async () => (await status(issued)) === 200);
});

test('a key pair that was used only with another process is accepted after a restart', async () => {
  const unused = await service.addPair(company, 'test', ['projects:read']);
  const restarted = await startService({ database, databaseUrl: proxy.url, settings });
  try {
    await exhaust(address, restarted);
    const { apiKey, apiSecret } = unused;
    expect(await status(createClient(restarted.server, { apiKey, apiSecret }))).toBe(200);
  } finally {
    await restarted.stop();
  }
});

describe('while every lookup of a key pair is slow', () => {
  const poolSize = 5;

  test('unknown keys use one connection in five, and partners use the others', async () => {
    const patient = await startService({
      database,
      databaseUrl: proxy.url,
      settings: {
        ...settings,
        DATABASE_POOL_SIZE: String(poolSize),
        DATABASE_LOCK_TIMEOUT_MS: '10000',
        DATABASE_STATEMENT_TIMEOUT_MS: '10000',
        DATABASE_ANSWER_TIMEOUT_MS: '20000',
      },
    });
    const { apiKey, apiSecret } = company.test;
    const partner = createClient(patient.server, { apiKey, apiSecret });
    const lock = await database.admin.connect();
    try {
      await until('the pair is in memory for more than a second', async () => {
        expect(await status(partner)).toBe(200);
        const before = lookUps('known') + lookUps('unknown');
        await delay(1_100);
        expect(await status(partner)).toBe(200);
        return lookUps('known') + lookUps('unknown') === before;
      });
      await lock.query('BEGIN; LOCK TABLE key_pairs IN ACCESS EXCLUSIVE MODE');
      const before = lookUps('unknown');
      const strangers = Array.from({ length: 4 * poolSize }, (_, number) =>
        strange(`192.0.2.${100 + number}`, patient),
      );
      await until('a stranger is looked up', () => lookUps('unknown') > before);
      for (let count = 0; count < 20; count += 1) expect(await status(partner)).toBe(200);
      expect(lookUps('unknown') - before).toBe(1);
      await lock.query('ROLLBACK');
      expect(new Set(await Promise.all(strangers))).toEqual(new Set([401]));
    } finally {
      lock.release(true);
      await patient.stop();
    }
  });
});

test('after a restart, unknown well-formed keys do not delay a partner', async () => {
  expect(await status(company.test)).toBe(200);
  const restarted = await startService({
    database,
    databaseUrl: proxy.url,
    settings: {
      ...settings,
      DATABASE_LOCK_TIMEOUT_MS: '15000',
      DATABASE_STATEMENT_TIMEOUT_MS: '15000',
      DATABASE_ANSWER_TIMEOUT_MS: '20000',
    },
  });
  const lock = await database.admin.connect();
  try {
    await restarted.container.warm();
    await lock.query('BEGIN; LOCK TABLE key_pairs IN ACCESS EXCLUSIVE MODE');
    // All from the partner's address, so that fairness between addresses does not help.
    const strangers = Array.from({ length: 30 }, () => strange(address, restarted));
    await delay(200);
    const { apiKey, apiSecret } = company.test;
    const partner = status(createClient(restarted.server, { apiKey, apiSecret }));
    // Longer than the maximum wait in the queue.
    await delay(3_500);
    await lock.query('ROLLBACK');
    expect(await partner).toBe(200);
    expect(new Set(await Promise.all(strangers))).toContain(503);
  } finally {
    lock.release(true);
    await restarted.stop();
  }
});

describe('IPv6', () => {
  const attempts = async (addresses: string[]): Promise<number[]> => {
    const statuses: number[] = [];
    for (const from of addresses) statuses.push(await strange(from));
    return statuses;
  };
  const times = (count: number, value: number): number[] => Array<number>(count).fill(value);
  const range = (count: number, at: (number: number) => string): string[] =>
    Array.from({ length: count }, (_, number) => at(number));

  test('a /64 has the limit of one address', async () => {
    const statuses = await attempts(range(7, (number) => `2001:db8:1:2::${number.toString(16)}`));
    expect(statuses).toEqual([...times(5, 401), 429, 429]);
  });

  test('a /56 has twice the limit, even if it uses many /64', async () => {
    const statuses = await attempts(range(12, (number) => `2001:db8:1:${(0x3400 + number).toString(16)}::1`));
    expect(statuses).toEqual([...times(10, 401), 429, 429]);
    expect(await strange('2001:db8:1:3500::1')).toBe(401);
  });

  test('a /48 has four times the limit, even if it uses many /56, and other /48 are not affected', async () => {
    const statuses = await attempts(range(22, (number) => `2001:db8:1:${(number << 8).toString(16)}::1`));
    expect(statuses).toEqual([...times(20, 401), 429, 429]);
    expect(lookUps('unknown')).toBe(20);
    expect(await strange('2001:db8:2::1')).toBe(401);
    expect(await status(company.test, '2001:db8:1:ffff::1')).toBe(200);
  });

  test('wrong secrets of one key are counted per /48 too', async () => {
    expect(await status(company.test, '2001:db8:1::1')).toBe(200);
    const wrong = createClient(service.server, {
      apiKey: company.test.apiKey,
      apiSecret: drawKeyPair('test').apiSecret,
    });
    const statuses: number[] = [];
    for (let number = 0; number < 10; number += 1)
      statuses.push(await status(wrong, `2001:db8:1:${(number << 8).toString(16)}::1`));
    expect(statuses).toEqual([...times(8, 401), 429, 429]);
    expect(await status(company.test, '2001:db8:1::1')).toBe(200);
  });
});
