import { connect } from 'node:net';
import { once } from 'node:events';

import type { MetricsServer } from '../../../src/metrics/metrics-server';
import { version } from '../../../src/version';
import { scrape, type Scrape, serveMetricsOf } from '../../support/metrics';
import { startService, type TestCompany, type TestService } from '../../support/service';
import { addProject } from '../../support/catalogue';
import { until } from '../../support/until';

/** The metrics of a service that has really served requests. */
const base = '/company/integration';
let service: TestService;
let metrics: MetricsServer;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService();
  metrics = await serveMetricsOf(service);
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
});
afterAll(async () => {
  await metrics.stop();
  await service.stop();
});

const read = (): Promise<Scrape> => scrape(metrics.port);

test('the running version is a label', async () => {
  expect((await read()).value('contribution_build_info', { version })).toBe(1);
});

/** The increase of a sample. The response may arrive before the request is counted. */
async function growth(
  work: () => Promise<unknown>,
  name: string,
  labels: Record<string, string>,
): Promise<number> {
  const before = (await read()).value(name, labels);
  await work();
  let grown = 0;
  await until('the sample grows', async () => {
    grown = (await read()).value(name, labels) - before;
    return grown > 0;
  });
  return grown;
}

const requests = 'contribution_http_requests_total';
const errors = 'contribution_http_errors_total';

async function create(userHash = 'a-user'): Promise<string> {
  const body = { project_id: projectId, amount: '10.00', user_hash: userHash };
  const response = await company.test.put(`${base}/contributions/create`, body).expect(201);
  return (response.body as { transaction_id: string }).transaction_id;
}

describe('requests', () => {
  test('are counted by route pattern, method and status', async () => {
    const labels = {
      method: 'GET',
      route: `${base}/get/project/{project_id}`,
      status: '200',
      error_code: 'none',
    };
    const read = () => company.test.get(`${base}/get/project/${projectId}`).expect(200);
    expect(await growth(read, requests, labels)).toBe(1);
    const ofDuration = { method: labels.method, route: labels.route, status: labels.status };
    expect(await growth(read, 'contribution_http_request_duration_seconds_count', ofDuration)).toBe(1);
  });

  test('that fail are counted by error code', async () => {
    const labels = {
      route: `${base}/get/project/{project_id}`,
      status: '404',
      error_code: 'resource_not_found',
    };
    const send = () => company.test.get(`${base}/get/project/999999`).expect(404);
    expect(await growth(send, requests, labels)).toBe(1);
    expect(await growth(send, errors, { error_code: labels.error_code })).toBe(1);
  });

  test('with unknown paths or methods share one label', async () => {
    const paths = ['/a', '/b/c', `${base}/nothing`];
    const labels = { route: 'unknown', error_code: 'path_not_found', method: 'GET' };
    const send = () => Promise.all(paths.map((path) => service.anonymous.raw('get', path).expect(404)));
    expect(await growth(send, requests, labels)).toBeGreaterThan(0);
    const { samples } = await read();
    const routes = new Set(
      samples.filter(({ name }) => name === requests).map(({ labels }) => labels['route']),
    );
    expect([...routes].filter((route) => route === '/a' || route?.endsWith('nothing'))).toEqual([]);
    const odd = () => fetch(`http://127.0.0.1:${service.port}/a`, { method: 'PROPFIND' });
    expect(await growth(odd, requests, { route: 'unknown', method: 'other' })).toBe(1);
  });

  test('for health are counted by their own route', async () => {
    const labels = { route: '/health/ready', status: '200' };
    expect(await growth(() => service.anonymous.get('/health/ready'), requests, labels)).toBe(1);
  });

  test('that are not valid HTTP are counted as rejected by the parser', async () => {
    const send = async (): Promise<void> => {
      const socket = connect(service.port, '127.0.0.1');
      socket.end('no http at all\r\n\r\n');
      await once(socket.resume(), 'close');
    };
    expect(await growth(send, errors, { error_code: 'malformed_http' })).toBe(1);
  });
});

describe('authentication', () => {
  test('malformed and invalid credentials are counted separately', async () => {
    const address = `${base}/get/projects`;
    const malformed = () => service.anonymous.get(address).expect(401);
    expect(await growth(malformed, errors, { error_code: 'credentials_malformed' })).toBe(1);
    const { apiKey = '' } = company.test;
    const invalid = () =>
      service.anonymous
        .raw('get', address)
        .set('API-Key', apiKey)
        .set('API-Secret', company.production.apiSecret ?? '')
        .expect(401);
    expect(await growth(invalid, errors, { error_code: 'credentials_malformed' })).toBe(1);
    const other = await service.addPair(company, 'test', ['projects:read']);
    const wrong = () =>
      service.anonymous
        .raw('get', address)
        .set('API-Key', apiKey)
        .set('API-Secret', other.apiSecret ?? '')
        .expect(401);
    expect(await growth(wrong, errors, { error_code: 'credentials_invalid' })).toBe(1);
  });

  test('a key pair is looked up in the database once, and then in the cache', async () => {
    const pair = await service.addPair(company, 'test', ['projects:read', 'contributions:read']);
    const lookUps = 'contribution_key_pair_lookups_total';
    const send = () => pair.get(`${base}/get/projects`).expect(200);
    expect(await growth(send, lookUps, { source: 'database' })).toBe(1);
    // The notification of the new key pair may arrive after the first request, which causes a
    // second lookup.
    await until('the pair is served from memory', async () => {
      const before = (await read()).value(lookUps, { source: 'database' });
      await send();
      return (await read()).value(lookUps, { source: 'database' }) === before;
    });
    expect(await growth(send, lookUps, { source: 'memory' })).toBe(1);
    const other = await service.addPair(company, 'test', ['projects:read']);
    const wrong = () =>
      service.anonymous
        .raw('get', `${base}/get/projects`)
        .set('API-Key', pair.apiKey ?? '')
        .set('API-Secret', other.apiSecret ?? '')
        .expect(401);
    expect(await growth(wrong, lookUps, { source: 'memory' })).toBe(1);
  });

  test('the revocation listener is fresh', async () => {
    await until(
      'it is fresh',
      async () => (await read()).value('contribution_revocation_listener_fresh') === 1,
    );
  });
});

describe('contributions', () => {
  test('are counted when they are created and completed, by environment kind and outcome', async () => {
    const ofTest = { environment_kind: 'test' };
    expect(await growth(create, 'contribution_creates_total', { ...ofTest, outcome: 'created' })).toBe(1);
    const id = await create();
    const complete = (amount: string, status: number) => () =>
      company.test.put(`${base}/contributions/${id}`, { status: 'completed', amount }).expect(status);
    const completions = 'contribution_completions_total';
    expect(await growth(complete('11.00', 409), completions, { ...ofTest, outcome: 'amount_differs' })).toBe(
      1,
    );
    expect(await growth(complete('10.00', 200), completions, { ...ofTest, outcome: 'completed' })).toBe(1);
    expect(await growth(complete('10.00', 200), completions, { ...ofTest, outcome: 'replayed' })).toBe(1);
    expect((await read()).value(completions, { environment_kind: 'production', outcome: 'completed' })).toBe(
      0,
    );
  });
});

test('a completion of a contribution that another environment completed is counted as contested', async () => {
  const { companies } = service;
  const [first, second] = [await service.addCompany(), await service.addCompany()];
  for (const bank of [first, second]) await companies.linkBank('test', company.name, bank.name);
  try {
    const id = await create();
    const complete = (bank: TestCompany, status: number) => () =>
      bank.test.put(`${base}/contributions/${id}`, { status: 'completed' }).expect(status);
    await complete(first, 200)();
    const labels = { environment_kind: 'test', outcome: 'contested' };
    expect(await growth(complete(second, 409), 'contribution_completions_total', labels)).toBe(1);
  } finally {
    for (const bank of [first, second]) await companies.unlinkBank('test', company.name, bank.name);
  }
});

describe('the database', () => {
  test('has metrics for statements, pool and queue', async () => {
    await create();
    const now = await read();
    const ofCreate = { statement: 'create_transaction' };
    expect(now.value('contribution_database_statement_duration_seconds_count', ofCreate)).toBeGreaterThan(0);
    expect(now.value('contribution_database_connections_limit')).toBe(service.config.DATABASE_POOL_SIZE);
    expect(now.value('contribution_database_queue_limit')).toBe(service.config.DATABASE_QUEUE_LENGTH);
    const states = now.samples.filter(({ name }) => name === 'contribution_database_connections');
    expect(states.map(({ labels }) => labels['state']).sort()).toEqual(['busy', 'idle', 'late_reply']);
    expect(states.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0);
    expect(now.value('contribution_database_refusals_total', { reason: 'queue_full' })).toBe(0);
  });
});

test('the text contains no user, secret, key or id', async () => {
  const canaries = { hash: 'canary-hash-q7', name: 'Canaryname', id: 'canary-request-id' };
  const id = await create(canaries.hash);
  await company.test
    .put(`${base}/contributions/create`, {
      project_id: projectId,
      amount: '1.00',
      user_hash: canaries.hash,
      name: canaries.name,
    })
    .set('X-Request-Id', canaries.id)
    .expect(201);
  await company.test.get(`${base}/projects-stories?user_hash=${canaries.hash}`).expect(200);
  await company.test.get(`${base}/contributions/${id}`).expect(200);
  await service.anonymous.raw('get', `/${canaries.hash}`).expect(404);
  const { text } = await read();
  const { apiKey = '', apiSecret = '' } = company.test;
  const forbidden = [...Object.values(canaries), id, apiKey, apiSecret, company.name];
  expect(forbidden.filter((canary) => canary === '' || text.includes(canary))).toEqual([]);
});

test('the API does not serve metrics, and the metrics listener serves nothing else', async () => {
  await service.anonymous.raw('get', '/metrics').expect(404);
  const address = `http://127.0.0.1:${metrics.port}`;
  expect((await fetch(`${address}/`)).status).toBe(404);
  expect((await fetch(`${address}/metrics`, { method: 'POST' })).status).toBe(405);
});
