import { type Fate, startTcpProxy, type TcpProxy } from '../suites/faults/network/tcp-proxy';
import { addProject } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { longTest } from '../support/full-run';

/**
 * A firewall silently drops packets of connections that it has forgotten. Half of the pool is lost
 * in this way, and new connections work.
 */
const create = '/company/integration/contributions/create';
const poolSize = 10;
const half = poolSize / 2;

let database: TestDatabase;
let proxy: TcpProxy;
let service: TestService;
let company: TestCompany;
let projectId: number;
let count = 0;
let lost = new Set<object>();
const seen = new Set<object>();

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startTcpProxy(Number(new URL(database.url).port));
  proxy.watcher = (_direction, _data, connection): Fate => {
    seen.add(connection);
    return lost.has(connection) ? 'drop' : 'pass';
  };
  const proxied = new URL(database.url);
  proxied.port = String(proxy.port);
  service = await startService({
    database,
    databaseUrl: proxied.href,
    settings: {
      // Caches the key pair. Otherwise all reads would wait for one lookup of it.
      DATABASE_NOTIFICATIONS_URL: database.url,
      DATABASE_POOL_SIZE: String(poolSize),
      DATABASE_ACQUIRE_TIMEOUT_MS: '1000',
      DATABASE_CONNECT_TIMEOUT_MS: '3000',
      DATABASE_STATEMENT_TIMEOUT_MS: '300',
      DATABASE_ANSWER_TIMEOUT_MS: '400',
    },
  });
  company = await service.addCompany();
  projectId = await addProject(database.admin);
  await company.production.get('/company/integration/get/projects').expect(200);
});
beforeEach(async () => {
  lost = new Set();
  proxy.cut();
  await until('the pool is empty', () => service.container.database.poolState().open === 0);
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  await database.drop();
});

/** Silently lost connections, as many as half of the pool. */
async function loseHalfOfThePool(): Promise<void> {
  await until('the pool has that many connections', async () => {
    await statusesOf(readProjects);
    const { open, idle } = service.container.database.poolState();
    return open === half && idle === half;
  });
  lost = new Set(seen);
}

const readProjects = () =>
  company.production.get('/company/integration/get/projects').then(({ status }) => status);

const contribute = () => {
  const key = `late-${(count += 1)}`;
  return company.production
    .put(create, { project_id: projectId, amount: '5.00', user_hash: key })
    .set('Idempotency-Key', key)
    .then(({ status }) => status);
};

const statusesOf = (send: () => Promise<number>) => Promise.all(Array.from({ length: half }, send));
const rejection = () => service.container.database.poolState().writesRejected;
const readiness = () => service.anonymous.raw('get', '/health/ready').then(({ status }) => status);

test('when as many reads as half of the pool time out on lost connections, the next write succeeds', async () => {
  await loseHalfOfThePool();
  expect(new Set(await statusesOf(readProjects))).toEqual(new Set([503]));
  expect(service.container.database.poolState().lateReplies).toBe(0);
  expect([await contribute(), await readiness()]).toEqual([201, 200]);
});

test('when as many writes as half of the pool time out on lost connections, a new connection is tried and the next write succeeds', async () => {
  await loseHalfOfThePool();
  expect(new Set(await statusesOf(contribute))).toEqual(new Set([503]));
  expect(new Set(await statusesOf(contribute))).toEqual(new Set([201]));
  expect(await readiness()).toBe(200);
  expect(service.container.database.poolState().lateReplies).toBe(0);
});

longTest(
  'when new connections are lost too, writes are rejected at once and readiness gives the reason, until replies arrive again',
  async () => {
    await loseHalfOfThePool();
    const isLost = proxy.watcher;
    proxy.watcher = () => 'drop';
    try {
      expect(new Set(await statusesOf(contribute))).toEqual(new Set([503]));
      await until('writes are rejected', () => rejection() !== undefined);
      expect(await contribute()).toBe(503);
      const response = await service.anonymous.raw('get', '/health/ready');
      expect([response.status, response.body.code]).toEqual([503, 'database_unavailable']);
      expect(response.body.detail).toContain('cannot open a connection');
    } finally {
      proxy.watcher = isLost;
    }
    await until('it is ready', async () => (await readiness()) === 200);
    expect(await contribute()).toBe(201);
    const log = service.logLines.filter((line) => line.includes('writes are'));
    expect(log.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'writes are rejected: no connection to the database opens',
      'writes are accepted again: the database confirms commits',
    ]);
  },
);
