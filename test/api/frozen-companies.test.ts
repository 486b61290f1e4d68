import { systemClock } from '../../src/shared/clock';
import { type Client, createClient } from '../support/client';
import { type Completions, createCompletions } from '../support/completions';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { sampleOf } from '../support/error-triggers/sample';
import { send } from '../support/error-triggers/send';
import { documentedOperations } from '../support/openapi/operations';
import { scrape, serveMetricsOf } from '../support/metrics';
import { operate } from '../support/operations';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

/** A freeze stops the key pairs of a company for a while. Money that moved is still recorded. */
const listener = 'contribution-service notifications';
const projects = '/company/integration/get/projects';
const files = '/company/integration/contributions/completions';

let database: TestDatabase;
let proxy: PostgresProxy;
let service: TestService;
let second: TestService;
let company: TestCompany;
let completions: Completions;
/** The time that has passed for the cache of key pairs. */
let passedMs = 0;

beforeAll(async () => {
  const startedAt = Date.now();
  const monotonic = performance.now.bind(performance);
  jest.spyOn(systemClock, 'now').mockImplementation(() => new Date(startedAt + passedMs));
  jest.spyOn(performance, 'now').mockImplementation(() => monotonic() + passedMs);
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.url);
  service = await startService({ database, databaseUrl: proxy.url });
  second = await startService({ database });
});
beforeEach(async () => {
  company = await service.addCompany();
  completions = await createCompletions(service, company);
});
afterEach(() => {
  proxy.restore();
});
afterAll(async () => {
  await second.stop();
  await service.stop();
  await proxy.stop();
  await database.drop();
});

const freeze = ({ name }: TestCompany, reason = 'an investigation'): Promise<boolean | undefined> =>
  operate(database, ({ companiesOverview }) => companiesOverview.freeze(name, reason));
const unfreeze = ({ name }: TestCompany): Promise<boolean | undefined> =>
  operate(database, ({ companiesOverview }) => companiesOverview.unfreeze(name));

const codeOf = async (client: Client): Promise<string | undefined> =>
  ((await client.get(projects)).body as { code?: string }).code;
const untilFrozen = (client: Client): Promise<void> =>
  until('the company is frozen', async () => (await codeOf(client)) === 'company_frozen');
const untilServed = (client: Client): Promise<void> =>
  until('the company is served', async () => (await codeOf(client)) === undefined);
const statusOf = async (id: string): Promise<unknown> =>
  ((await completions.row(id)) as { status: string }).status;

describe('a frozen company', () => {
  test('gets 503 company_frozen in both environments and every process until the freeze ends', async () => {
    const clients = [company.test, company.production].flatMap((client) => [
      client,
      createClient(second.server, client),
    ]);
    for (const client of clients) await client.get(projects).expect(200);
    expect(await freeze(company)).toBe(true);
    // No cached pair ages, so only the notification can have this effect.
    await Promise.all(clients.map(untilFrozen));
    const { status, body, headers } = await company.production.get(projects);
    expect([status, headers['retry-after'], headers['environment']]).toEqual([503, '300', 'production']);
    expect(body).toMatchObject({ code: 'company_frozen', retryable: true, status: 503 });
    expect(await unfreeze(company)).toBe(true);
    await Promise.all(clients.map(untilServed));
  });

  test('gets it for every operation', async () => {
    await freeze(company);
    await untilFrozen(company.test);
    const values = {
      project_id: '1',
      story_id: '1',
      day: '2026-11-20',
      month: '2026-11',
      transaction_id: 'K7Q20CR5M3V9XHG',
      ...Object.fromEntries(
        [
          'return_id',
          'event_id',
          'endpoint_id',
          'replay_id',
          'file_id',
          'account_id',
          'other_account_id',
          'entry_id',
        ].map((name) => [name, '019aa1b2-0000-7000-8000-000000000000']),
      ),
    };
    const ofPartners = documentedOperations.filter((operation) => 'x-scope' in operation);
    expect(ofPartners.length).toBeGreaterThan(30);
    for (const operation of ofPartners) {
      const response = await send(service, company.test, sampleOf(operation, values));
      expect([operation.operationId, response]).toEqual([
        operation.operationId,
        { status: 503, code: 'company_frozen' },
      ]);
    }
  });

  test('is not revealed to a client with a wrong secret', async () => {
    const { apiKey } = company.test;
    const { apiSecret } = (await service.addCompany()).test;
    const stranger = createClient(service.server, { apiKey, apiSecret });
    const before = await stranger.get(projects);
    await freeze(company);
    await untilFrozen(company.test);
    const after = await stranger.get(projects);
    expect([before.status, after.status, after.body.code]).toEqual([401, 401, 'credentials_invalid']);
    expect(after.body.detail).toBe(before.body.detail);
  });

  test('does not affect other companies', async () => {
    const other = await service.addCompany();
    await freeze(company);
    await untilFrozen(company.test);
    await other.test.get(projects).expect(200);
  });

  test('can be frozen only once, and keeps its first reason', async () => {
    expect([await freeze(company, 'first'), await freeze(company, 'second')]).toEqual([true, false]);
    const [shown] = await operate(database, ({ companiesOverview }) => companiesOverview.list(company.name));
    expect(shown).toMatchObject({ frozenReason: 'first', frozenAt: expect.any(Date) });
    expect([await unfreeze(company), await unfreeze(company)]).toEqual([true, false]);
    expect(await freeze({ ...company, name: 'Nobody' })).toBeUndefined();
  });

  test('keeps a pair that was issued during the freeze out', async () => {
    await freeze(company);
    expect(await codeOf(await service.addPair(company, 'test', ['projects:read']))).toBe('company_frozen');
  });

  test('leaves the line of each request in the log, and no warning', async () => {
    await freeze(company);
    await untilFrozen(company.test);
    const linesAbout = (): Record<string, unknown>[] =>
      service.logLines
        .filter((line) => line.includes('"company_frozen"'))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ api_key: apiKey }) => apiKey === company.test.apiKey || apiKey === undefined);
    await until('the request is logged', () => linesAbout().some(({ status }) => status === 503));
    expect(linesAbout().filter(({ level }) => level !== 30)).toEqual([]);
  });
});

test('no metric counts a request of a frozen company as a 5xx', async () => {
  const metrics = await serveMetricsOf(service);
  const statuses = async (): Promise<unknown[]> =>
    (await scrape(metrics.port)).samples
      .filter(({ name, labels }) => name.endsWith('_total') && labels['error_code'] === 'company_frozen')
      .flatMap(({ labels }) => labels['status'] ?? []);
  await freeze(company);
  await untilFrozen(company.test);
  await until('the requests are counted', async () => (await statuses()).length > 0);
  expect(new Set(await statuses())).toEqual(new Set(['company_frozen']));
  await metrics.stop();
});

describe('a bank of a frozen company', () => {
  test('completes its contributions and records returns', async () => {
    const bank = await service.addCompany();
    await completions.link(bank);
    const id = await completions.create('25.50');
    await freeze(company);
    await untilFrozen(company.test);
    await completions.complete(bank.test, id).expect(200);
    await bank.test
      .post(`/company/integration/contributions/${id}/returns`, {
        kind: 'return',
        amount: '5.50',
        bank_reference: 'RT-1',
      })
      .expect(201);
  });

  test('completes nothing while the bank itself is frozen, and everything afterwards', async () => {
    const bank = await service.addCompany();
    await completions.link(bank);
    const id = await completions.create('25.50');
    await bank.test.get(projects).expect(200);
    await freeze(bank);
    await untilFrozen(bank.test);
    await completions.complete(bank.test, id).expect(503);
    expect(await statusOf(id)).toBe('pending');
    await unfreeze(bank);
    await untilServed(bank.test);
    await completions.complete(bank.test, id).expect(200);
  });
});

describe('before a process has received the notification', () => {
  beforeEach(async () => {
    await until('freezes are received', async () => {
      await company.test.get(projects).expect(200);
      return proxy.connectionCount(listener) === 1;
    });
    proxy.freeze(listener);
  });

  const write = {
    create: (id: string) =>
      company.test.put('/company/integration/contributions/create', {
        project_id: 999_999,
        amount: '3.00',
        user_hash: id,
      }),
    complete: (id: string) => completions.complete(company.test, id),
    return: (id: string) =>
      company.test.post(`/company/integration/contributions/${id}/returns`, {
        kind: 'return',
        amount: '1.00',
        bank_reference: 'RT-2',
      }),
    correct: (id: string) =>
      company.test.post(`/company/integration/contributions/${id}/correction`, { reason: 'a test' }),
    'complete a file with': (id: string) =>
      company.test
        .raw('post', files)
        .set('Content-Type', 'application/x-ndjson')
        .send(`${JSON.stringify({ transaction_id: id, amount: '25.50' })}\n`),
  };
  test.each(Object.keys(write) as (keyof typeof write)[])('it does not %s a contribution', async (kind) => {
    const id = await completions.create();
    const before = await completions.row(id);
    await freeze(company);
    const response = await write[kind](id);
    expect([response.status, response.body.code]).toEqual([503, 'company_frozen']);
    expect(response.headers['retry-after']).toBe('300');
    expect(await completions.row(id)).toEqual(before);
  });

  test('it serves reads for at most a second', async () => {
    await freeze(company);
    passedMs += 1_000;
    expect(await codeOf(company.test)).toBe('company_frozen');
  });
});

test('a freeze and a completion at the same time leave a completion that was confirmed, or neither', async () => {
  for (let count = 0; count < 10; count += 1) {
    const id = await completions.create();
    const [response] = await Promise.all([completions.complete(company.test, id), freeze(company)]);
    expect([200, 503]).toContain(response.status);
    expect(await statusOf(id)).toBe(response.status === 200 ? 'completed' : 'pending');
    await unfreeze(company);
    await untilServed(company.test);
    await completions.complete(company.test, id).expect(200);
  }
});
