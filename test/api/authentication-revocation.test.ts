import { once } from 'node:events';
import { request } from 'node:http';

import { systemClock } from '../../src/shared/clock';
import type { Scope } from '../../src/shared/scopes';
import { addProject } from '../support/catalogue';
import { type Client, createClient } from '../support/client';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { longTest } from '../support/full-run';

const projects = '/company/integration/get/projects';
const listener = 'contribution-service notifications';
/** The documented time within which every process rejects a revoked key pair. */
const promisedMs = 1_000;

let database: TestDatabase;
let proxy: PostgresProxy;
let service: TestService;
let company: TestCompany;
let projectId: number;
/** The time that has passed for the cache of key pairs, which ages only when a test says so. */
let passedMs = 0;

beforeAll(async () => {
  const startedAt = Date.now();
  const monotonic = performance.now.bind(performance);
  jest.spyOn(systemClock, 'now').mockImplementation(() => new Date(startedAt + passedMs));
  jest.spyOn(performance, 'now').mockImplementation(() => monotonic() + passedMs);
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.url);
  service = await startService({ database, databaseUrl: proxy.url });
  projectId = await addProject(database.admin);
});
beforeEach(async () => {
  company = await service.addCompany();
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  await database.drop();
});

/** A client whose key pair is cached while revocations are received. */
async function usedPair(scopes: Scope[] = ['projects:read', 'contributions:complete']): Promise<Client> {
  const client = await service.addPair(company, 'test', scopes);
  await until('revocations are watched', () => isServedFromMemory(client));
  return client;
}

/** True while the service receives revocations and a request needs no lookup of its key pair. */
async function isServedFromMemory(client: Client): Promise<boolean> {
  await client.get(projects);
  const before = lookUps();
  await client.get(projects);
  return lookUps() === before && proxy.connectionCount(listener) === 1;
}

function lookUps(): number {
  return proxy.roundTrips().filter((name) => /^find_(un)?known_key_pair$/.test(name)).length;
}

const isRejected = async (client: Client): Promise<boolean> => (await client.get(projects)).status === 401;

const untilRejected = (client: Client): Promise<void> =>
  until('the key pair is rejected', () => isRejected(client));

async function createContribution(): Promise<string> {
  const response = await company.test.put('/company/integration/contributions/create', {
    project_id: projectId,
    amount: '3.00',
    user_hash: 'user',
  });
  return response.body.transaction_id as string;
}

/** A transaction's status and its number of events in the database. */
async function stateOf(transactionId: string): Promise<{ status: string; events: string[] }> {
  const { rows } = await database.admin.query<{ status: string; events: string[] }>(
    `SELECT t.status, array_agg(e.type) AS events FROM transactions t JOIN events e USING (environment_id, transaction_id)
      WHERE t.transaction_id = $1 GROUP BY t.status`,
    [transactionId],
  );
  return rows[0]!;
}

describe('a revoked key pair that was in use', () => {
  test('is rejected by every process at once', async () => {
    const client = await usedPair();
    const second = await startService({ database });
    try {
      const elsewhere = createClient(second.server, client);
      await elsewhere.get(projects).expect(200);
      await service.keyPairs.revoke(client.apiKey!);
      // No entry ages, so only the notification can have this effect.
      await Promise.all([untilRejected(client), untilRejected(elsewhere)]);
    } finally {
      await second.stop();
    }
  });

  test('does not affect the other key pairs of its environment', async () => {
    const client = await usedPair();
    await service.keyPairs.revoke(client.apiKey!);
    await untilRejected(client);
    expect((await company.test.get(projects)).status).toBe(200);
    expect((await company.production.get(projects)).status).toBe(200);
  });

  test('completes nothing, even before the process has received the revocation', async () => {
    const client = await usedPair();
    const transactionId = await createContribution();
    proxy.freeze(listener);
    await service.keyPairs.revoke(client.apiKey!);
    const response = await client.put(`/company/integration/contributions/${transactionId}`, {
      status: 'completed',
    });
    proxy.restore();
    expect([response.status, response.body.code]).toEqual([401, 'credentials_invalid']);
    expect(await stateOf(transactionId)).toEqual({ status: 'pending', events: ['contribution.created'] });
  });

  test('cannot be revoked again, and the operator gets a message', async () => {
    const client = await usedPair();
    await service.keyPairs.revoke(client.apiKey!);
    await expect(service.keyPairs.revoke(client.apiKey!)).rejects.toThrow(/^This key pair was revoked at/);
  });
});

describe('a revocation whose notification is lost', () => {
  afterEach(() => {
    proxy.restore();
  });

  longTest('takes effect within a second when the listening connection is silent', async () => {
    const client = await usedPair();
    proxy.freeze(listener);
    await service.keyPairs.revoke(client.apiKey!);
    passedMs += promisedMs;
    expect(await isRejected(client)).toBe(true);
  });

  test('takes effect within a second when there is no listening connection', async () => {
    const client = await usedPair();
    proxy.refuse(listener);
    await service.keyPairs.revoke(client.apiKey!);
    passedMs += promisedMs;
    expect(await isRejected(client)).toBe(true);
  });

  longTest(
    'takes effect within a second while the server terminates every listening connection',
    async () => {
      const client = await usedPair();
      const timer = setInterval(() => {
        void database.admin.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = $1`,
          [listener],
        );
      }, 20);
      try {
        await service.keyPairs.revoke(client.apiKey!);
        passedMs += promisedMs;
        expect(await isRejected(client)).toBe(true);
      } finally {
        clearInterval(timer);
      }
    },
  );

  longTest('takes effect when listening resumes, because all cached key pairs are read again', async () => {
    const client = await usedPair();
    proxy.refuse(listener);
    await until('nothing listens', () => proxy.connectionCount(listener) === 0);
    await service.keyPairs.revoke(client.apiKey!);
    proxy.restore();
    await until('it listens again', () => proxy.connectionCount(listener) === 1);
    await untilRejected(client);
  });

  test('does not interrupt requests with valid key pairs', async () => {
    proxy.refuse(listener);
    for (let count = 0; count < 20; count += 1) {
      expect((await company.test.get(projects)).status).toBe(200);
    }
  });
});

longTest('a key pair that is revoked while the body arrives creates nothing', async () => {
  const client = await usedPair(['projects:read', 'contributions:create']);
  const body = JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: 'slow-body' });
  const outgoing = request({
    port: service.port,
    method: 'PUT',
    path: '/company/integration/contributions/create',
    headers: {
      'API-Key': client.apiKey,
      'API-Secret': client.apiSecret,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Expect: '100-continue',
    },
  });
  const response = new Promise<number | undefined>((resolve, reject) => {
    outgoing.on('response', (incoming) => {
      incoming.resume();
      resolve(incoming.statusCode);
    });
    outgoing.on('error', reject);
  });
  const continued = once(outgoing, 'continue');
  outgoing.write(body.slice(0, 5));
  await continued;
  await service.keyPairs.revoke(client.apiKey!);
  await untilRejected(client);
  outgoing.end(body.slice(5));
  expect(await response).toBe(401);
  const { rowCount } = await database.admin.query(`SELECT FROM users WHERE user_hash = 'slow-body'`);
  expect(rowCount).toBe(0);
});
