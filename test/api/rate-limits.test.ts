import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { longTest } from '../support/full-run';
import { scopes } from '../support/scopes';

/** Each environment and scope set has a rate limit; completions have a separate one. */
const base = '/company/integration';
const projects = `${base}/get/projects`;
const unknownTransaction = `${base}/contributions/AAAA0000000000A`;

let service: TestService;
let company: TestCompany;

beforeEach(async () => {
  service = await startService({
    settings: {
      RATE_LIMIT_PER_SECOND: '1',
      COMPLETION_RATE_LIMIT_PER_SECOND: '2',
      RATE_LIMIT_BURST_SECONDS: '3',
    },
  });
  company = await service.addCompany();
});
afterEach(() => service.stop());

/** The statuses of this number of concurrent requests. */
async function statuses(client: Client, count: number, path = projects): Promise<number[]> {
  const responses = await Promise.all(
    Array.from({ length: count }, () => client.get(path).then((a) => a.status)),
  );
  return responses.sort((a, b) => a - b);
}

test('a response states the limit, the remaining tokens and the time until all are back', async () => {
  const first = await company.test.get(projects).expect(200);
  expect(first.get('RateLimit-Policy')).toBe('"requests";q=3;w=3');
  expect(first.get('RateLimit')).toBe('"requests";r=2;t=1');
  const second = await company.test.get(`${base}/get/project/999`).expect(404);
  expect(second.get('RateLimit')).toBe('"requests";r=1;t=2');
});

longTest('after the burst requests get 429 with the time after which the same request succeeds', async () => {
  expect(await statuses(company.test, 3)).toEqual([200, 200, 200]);
  const refused = await company.test.get(projects).expect(429);
  expect(refused.body).toMatchObject({ code: 'rate_limited', retryable: true });
  expect(refused.get('Retry-After')).toBe('1');
  expect(refused.get('RateLimit')).toMatch(/^"requests";r=0;t=[23]$/);
  expect(refused.get('Environment')).toBe('test');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await company.test.get(projects).expect(200);
});

test('a rejected create records nothing, and its key can be used again', async () => {
  const projectId = await addProject(service.database.admin);
  await statuses(company.test, 3);
  const send = () =>
    company.test
      .put(`${base}/contributions/create`, { project_id: projectId, amount: '1.00', user_hash: 'u' })
      .set('Idempotency-Key', 'k');
  await send().expect(429);
  const { rows } = await service.database.admin.query('SELECT FROM transactions');
  expect(rows).toHaveLength(0);
  await until('a token is back', async () => (await send().then((response) => response)).status === 201);
});

test('completions have a separate limit: a busy company does not delay its bank', async () => {
  await statuses(company.test, 4);
  const completion = await company.test.put(unknownTransaction, { status: 'completed' }).expect(404);
  expect(completion.get('RateLimit-Policy')).toBe('"completions";q=6;w=3');
  // Two tokens return each second, so on a slow machine more than five pass.
  const others = await Promise.all(
    Array.from({ length: 30 }, () =>
      company.test.put(unknownTransaction, { status: 'completed' }).then(({ status }) => status),
    ),
  );
  expect(others.filter((status) => status === 404).length).toBeGreaterThanOrEqual(5);
  expect(new Set(others)).toEqual(new Set([404, 429]));
});

test('a second key pair with the same scopes shares the limit; other scopes, environments and companies do not', async () => {
  await statuses(company.test, 3);
  const second = await service.addPair(company, 'test', scopes);
  expect(await statuses(second, 1)).toEqual([429]);
  const restricted = await service.addPair(company, 'test', ['projects:read']);
  expect(await statuses(restricted, 1)).toEqual([200]);
  expect(await statuses(company.production, 1)).toEqual([200]);
  expect(await statuses((await service.addCompany()).test, 1)).toEqual([200]);
});

test('an operator sets another rate for one environment, effective at once, and resets it', async () => {
  await company.test.get(projects).expect(200);
  await service.companies.setRateLimits('test', company.name, { requestsPerSecond: 50 });
  await until('the rate is known', async () => {
    const response = await company.test.get(projects).then((a) => a);
    return response.get('RateLimit-Policy') === '"requests";q=150;w=3';
  });
  expect((await company.production.get(projects).expect(200)).get('RateLimit-Policy')).toBe(
    '"requests";q=3;w=3',
  );
  const { rows } = await service.database.admin.query(
    'SELECT FROM environments WHERE requests_per_second IS NOT NULL',
  );
  expect(rows).toHaveLength(1);
  expect(await service.companies.setRateLimits('test', company.name, { completionsPerSecond: 7 })).toEqual({
    requestsPerSecond: 50,
    completionsPerSecond: 7,
  });
  expect(await service.companies.setRateLimits('test', company.name, { requestsPerSecond: null })).toEqual({
    requestsPerSecond: null,
    completionsPerSecond: 7,
  });
  await until('the setting counts again', async () => {
    const response = await company.test.get(projects).then((a) => a);
    return response.get('RateLimit-Policy') === '"requests";q=3;w=3';
  });
  expect((await company.production.get(projects).expect(200)).get('RateLimit-Policy')).toBe(
    '"requests";q=3;w=3',
  );
});

test('a request without valid credentials uses no token and gets no rate limit headers', async () => {
  const stranger = { 'API-Key': company.test.apiKey!, 'API-Secret': company.production.apiSecret! };
  const refused = await service.anonymous.get(projects).set(stranger).expect(401);
  expect(refused.get('RateLimit')).toBeUndefined();
  expect((await company.test.get(projects).expect(200)).get('RateLimit')).toBe('"requests";r=2;t=1');
});
