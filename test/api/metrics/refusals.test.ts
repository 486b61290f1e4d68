import type { MetricsServer } from '../../../src/metrics/metrics-server';
import { scrape, serveMetricsOf } from '../../support/metrics';
import { startService, type TestCompany, type TestService } from '../../support/service';
import { longTest } from '../../support/full-run';

/** Metrics of requests that are rejected before they run. */
const projects = '/company/integration/get/projects';
let service: TestService;
let metrics: MetricsServer;
let company: TestCompany;

async function start(settings: Record<string, string>): Promise<void> {
  service = await startService({ settings });
  metrics = await serveMetricsOf(service);
  company = await service.addCompany();
}
afterEach(async () => {
  await metrics.stop();
  await service.stop();
});

const throttled = async (policy: string): Promise<number> =>
  (await scrape(metrics.port)).value('contribution_http_throttled_requests_total', { policy });

/** The number of 429 responses to ten concurrent requests. */
async function refusedOfTen(send: () => PromiseLike<{ status: number }>): Promise<number> {
  const responses = await Promise.all(Array.from({ length: 10 }, () => Promise.resolve(send())));
  return responses.filter(({ status }) => status === 429).length;
}

test('requests beyond a rate limit are counted by policy', async () => {
  await start({
    RATE_LIMIT_PER_SECOND: '1',
    COMPLETION_RATE_LIMIT_PER_SECOND: '1',
    RATE_LIMIT_BURST_SECONDS: '1',
  });
  const rejectedRequests = await refusedOfTen(() => company.test.get(projects));
  expect(rejectedRequests).toBeGreaterThan(0);
  expect(await throttled('requests')).toBe(rejectedRequests);
  expect(await throttled('completions')).toBe(0);
  const unknown = '/company/integration/contributions/AAAA0000000000A';
  const refusedCompletions = await refusedOfTen(() => company.test.put(unknown, { status: 'completed' }));
  expect(refusedCompletions).toBeGreaterThan(0);
  expect(await throttled('completions')).toBe(refusedCompletions);
  expect(await throttled('requests')).toBe(rejectedRequests);
});

test('throttled authentications are counted by what failed too often', async () => {
  await start({ FAILED_AUTHENTICATIONS_PER_PAIR: '1', FAILED_AUTHENTICATIONS_PER_ADDRESS: '2' });
  const { apiKey = '' } = company.test;
  const other = await service.addPair(company, 'test', ['projects:read']);
  const send = (key: string, status: number) =>
    service.anonymous
      .raw('get', projects)
      .set('API-Key', key)
      .set('API-Secret', other.apiSecret ?? '')
      .expect(status);
  const unknownKey = (digit: number) => apiKey.replace(/.$/, String(digit));
  await send(unknownKey(1), 401);
  await send(unknownKey(1), 429);
  expect(await throttled('failures_of_pair')).toBe(1);
  await send(unknownKey(2), 401);
  await send(unknownKey(3), 429);
  expect(await throttled('failures_of_address')).toBe(1);
  const { value } = await scrape(metrics.port);
  expect(value('contribution_http_errors_total', { error_code: 'authentication_throttled' })).toBe(2);
});

longTest('requests that wait too long in the queue or for a connection are counted', async () => {
  await start({
    DATABASE_POOL_SIZE: '1',
    // Then two requests of one environment can be in progress, and the others are queued.
    DATABASE_QUEUE_LENGTH: '4',
    // These timeouts differ enough for a busy machine.
    DATABASE_ACQUIRE_TIMEOUT_MS: '1500',
    DATABASE_LOCK_TIMEOUT_MS: '3500',
    DATABASE_STATEMENT_TIMEOUT_MS: '5000',
    DATABASE_ANSWER_TIMEOUT_MS: '6000',
    // The request log would also wait for the only connection.
    SANDBOX_REQUEST_LOG: 'off',
  });
  await company.test.get(projects).expect(200);
  const holder = await service.database.admin.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE projects IN ACCESS EXCLUSIVE MODE');
    const responses = await Promise.all(
      ['first', 'second', 'third'].map((id) =>
        Promise.resolve(company.test.get(projects).set('X-Request-Id', id)),
      ),
    );
    // This includes a request that has not started.
    expect(
      responses.map((response): unknown[] => [
        response.status,
        response.get('X-Request-Id'),
        response.body.request_id,
      ]),
    ).toEqual(['first', 'second', 'third'].map((id) => [503, id, id]));
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
  const { value } = await scrape(metrics.port);
  const refused = (reason: string) => value('contribution_database_refusals_total', { reason });
  expect(refused('acquire_timeout')).toBe(1);
  expect(value('contribution_admission_shed_requests_total', { class: 'others' })).toBe(1);
  const overloaded = { status: '503', error_code: 'overloaded', method: 'GET' };
  expect(value('contribution_http_requests_total', { route: projects, ...overloaded })).toBe(2);
  const failed = { statement: 'list_projects', reason: 'timeout' };
  expect(value('contribution_database_statement_failures_total', failed)).toBe(1);
});
