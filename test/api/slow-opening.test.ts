import { startTcpProxy, type TcpProxy } from '../suites/faults/network/tcp-proxy';
import { addProject } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

/**
 * Opening a connection takes longer than a request may wait for a free one, as after the loss of
 * one packet. Connections that are open work.
 */
const openingMs = 1_300;
const waitMs = '1000';
const create = '/company/integration/contributions/create';
const poolSize = 4;

let database: TestDatabase;
let proxy: TcpProxy;
let service: TestService;
let company: TestCompany;
let projectId: number;
let count = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startTcpProxy(Number(new URL(database.url).port));
  const proxied = new URL(database.url);
  proxied.port = String(proxy.port);
  service = await startService({
    database,
    databaseUrl: proxied.href,
    settings: {
      // Caches the key pair, so that no request waits for a lookup of it.
      DATABASE_NOTIFICATIONS_URL: database.url,
      DATABASE_POOL_SIZE: String(poolSize),
      DATABASE_ACQUIRE_TIMEOUT_MS: waitMs,
      DATABASE_STATEMENT_TIMEOUT_MS: '1500',
      DATABASE_ANSWER_TIMEOUT_MS: '2000',
    },
  });
  company = await service.addCompany();
  projectId = await addProject(database.admin);
  await company.production.get('/company/integration/get/projects').expect(200);
  proxy.slowOpening(openingMs);
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  await database.drop();
});

const contribute = () => {
  const key = `slow-${(count += 1)}`;
  return company.production
    .put(create, { project_id: projectId, amount: '5.00', user_hash: key })
    .set('Idempotency-Key', key)
    .then(({ status }) => status);
};
const contributeAtOnce = () => Promise.all(Array.from({ length: 2 * poolSize }, contribute));

test('a pool grows, and the requests that wait for its connections are served', async () => {
  await until('the pool is empty', () => {
    proxy.cut();
    return service.container.database.poolState().open === 0;
  });
  expect(new Set(await contributeAtOnce())).toEqual(new Set([201]));
  expect(service.container.database.poolState().open).toBe(poolSize);
  expect((await service.anonymous.raw('get', '/health/ready')).status).toBe(200);
});

test('after a stall with creates in flight, writes are served again', async () => {
  await contributeAtOnce();
  proxy.freeze('requests');
  proxy.freeze('responses');
  expect(new Set(await contributeAtOnce())).toEqual(new Set([503]));
  proxy.unfreeze();
  await until('a write is served', async () => (await contribute()) === 201);
  await until('it is ready', async () => {
    const { status } = await service.anonymous.raw('get', '/health/ready');
    return status === 200;
  });
});
