import { addProject } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startService, type TestCompany, type TestService } from '../support/service';
import { createSlowLists, holdLists, slowDownLists } from '../support/slow-lists';
import { until } from '../support/until';
import { longTest } from '../support/full-run';

/**
 * Lists of one environment run in batches, and no other request waits for them. In these tests,
 * each first page takes half a second.
 */
const contributions = '/company/integration/contributions';

let database: TestDatabase;
let service: TestService;
let bank: TestCompany;
let stranger: TestCompany;
let transactionId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await createSlowLists(database, 0.5);
  service = await startService({
    database,
    settings: {
      DATABASE_POOL_SIZE: '10',
      DATABASE_ACQUIRE_TIMEOUT_MS: '1000',
      DATABASE_STATEMENT_TIMEOUT_MS: '5000',
    },
  });
  const company = await service.addCompany();
  bank = await service.addCompany();
  stranger = await service.addCompany();
  await service.companies.linkBank('test', company.name, bank.name);
  const { body } = await company.test
    .put(`${contributions}/create`, {
      project_id: await addProject(database.admin),
      amount: 1,
      user_hash: 'user==',
    })
    .expect(201);
  transactionId = body.transaction_id as string;
  await Promise.all(
    [bank, stranger].map(({ test: client }) => client.get('/company/integration/links').expect(200)),
  );
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

/** The number of list statements that are running in PostgreSQL. */
async function listsInProgress(): Promise<number> {
  const { rows } = await database.admin.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM pg_catalog.true_stat_activity
      WHERE datname = current_database() AND state = 'active' AND query LIKE '/* %' AND pid <> pg_backend_pid()`,
  );
  return rows[0]!.count;
}

longTest(
  'of thirty lists of a bank, three run at once, some wait and the rest get 503; its completion and other callers do not wait',
  async () => {
    await slowDownLists(database, 2);
    const lists = Promise.all(Array.from({ length: 30 }, () => bank.test.get(contributions)));
    await until('three run', async () => (await listsInProgress()) === 3);

    const path = `${contributions}/${transactionId}`;
    await bank.test.put(path, { status: 'completed' }).expect(200);
    // The first three still run.
    expect(await listsInProgress()).toBe(3);
    await stranger.test.get(contributions).expect(200);

    const responses = await lists;
    const overloaded = responses.filter(({ status }) => status === 503);
    for (const response of overloaded) {
      expect(response.body).toMatchObject({ code: 'overloaded', retryable: true });
      expect(response.get('Retry-After')).toMatch(/^\d+$/);
    }
    const served = responses.filter(({ status }) => status === 200).length;
    expect(served).toBeGreaterThanOrEqual(3);
    expect(served + overloaded.length).toBe(30);
    expect(overloaded.length).toBeGreaterThanOrEqual(7);
    await bank.test.get(contributions).expect(200);
  },
);

test('six lists run at once and the rest wait, but reads of another environment do not', async () => {
  const companies = await Promise.all(Array.from({ length: 6 }, () => service.addCompany()));
  await Promise.all(
    companies.map(({ test: client }) => client.get('/company/integration/links').expect(200)),
  );
  const release = await holdLists(database);
  let over = 0;
  const lists = companies.flatMap(({ test: client }) =>
    Array.from({ length: 20 }, () => client.get(contributions).then(() => (over += 1))),
  );
  await until('six run', async () => (await listsInProgress()) >= 6);
  await stranger.test.get('/company/integration/get/projects').expect(200);
  expect(over).toBe(0);
  await release();
  await Promise.all(lists);
});

longTest('a list that waits too long in the queue does not count against the rate limit', async () => {
  // Far longer than a request may wait in the queue.
  await slowDownLists(database, 3);
  const company = await service.addCompany();
  // The bucket has ten tokens. This test takes eleven, and about three are refilled meanwhile.
  await service.companies.setRateLimits('test', company.name, { requestsPerSecond: 1 });
  await company.test.get('/company/integration/links').expect(200);
  const responses = await Promise.all(Array.from({ length: 9 }, () => company.test.get(contributions)));
  const served = responses.filter(({ status }) => status === 200).length;
  const overloaded = responses.filter(({ status }) => status === 503).length;
  expect(served + overloaded).toBe(9);
  // Lists that arrive together may share a statement, so more than three can be served.
  expect(overloaded).toBeGreaterThanOrEqual(3);
  const last = await company.test.get('/company/integration/links').expect(200);
  expect(Number(/r=(\d+)/.exec(last.get('RateLimit') ?? '')?.[1])).toBeGreaterThanOrEqual(overloaded);
});
