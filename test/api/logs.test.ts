import type { Response, Test } from 'supertest';

import { brokenHttp, invalidRequests, sendBytes } from '../support/canary-invalid-requests';
import { canary, canaryContribution, rejectedRequests } from '../support/canary-requests';
import { addProject, addStory } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createLeakWatch, withoutReusedKey } from '../support/leaks';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

const base = '/company/integration';
const create = `${base}/contributions/create`;
const one = `${base}/contributions/{transaction_id}`;

interface Sent {
  what: string;
  status: number;
  method: string;
  url: string;
  /** The route in the log line; absent if there is none. */
  route: string | undefined;
  response: Response;
}

let database: TestDatabase;
let proxy: PostgresProxy;
let service: TestService;
let company: TestCompany;
let projectId: number;
let storyId: number;
const sent: Sent[] = [];

/** Sends a request whose id is its index in the list. */
async function send(
  what: string,
  status: number,
  route: string | undefined,
  request: Test,
): Promise<Response> {
  const response = await request.set('X-Request-Id', `request-${sent.length}`);
  sent.push({ what, status, route, method: request.method, url: request.url, response });
  return response;
}

const inQuery = encodeURIComponent(canary.userHash);
const newContribution = (more: object = {}) => canaryContribution(projectId, more);
const keyed = (request: Test) => request.set('Idempotency-Key', canary.idempotencyKey);

async function sendGoodRequests(): Promise<string> {
  const { test } = company;
  const created = await send('create', 201, create, keyed(test.raw('put', create)).send(newContribution()));
  const path = `${base}/contributions/${created.body.transaction_id as string}`;
  await send('replay', 201, create, keyed(test.raw('put', create)).send(newContribution()));
  const evidence = { status: 'completed', bank_reference: canary.bankReference };
  await send('complete', 200, one, test.raw('put', path).send(evidence));
  await send('get', 200, one, test.raw('get', path));
  for (const url of [`${base}/get/projects`, `${base}/projects-stories`, `${base}/contributions`]) {
    await send(`read ${url}`, 200, url, test.raw('get', `${url}?user_hash=${inQuery}`));
  }
  await send(
    'list by key',
    200,
    `${base}/contributions`,
    test.raw('get', `${base}/contributions?idempotency_key=${canary.idempotencyKey}`),
  );
  await send(
    'view',
    204,
    `${base}/stories/{story_id}/views`,
    test.raw('put', `${base}/stories/${storyId}/views`).send({ user_hash: canary.userHash }),
  );
  await send(
    'form',
    201,
    `${base}/orders/make`,
    test.raw('post', `${base}/orders/make`).field(newContribution()),
  );
  return path;
}

/** Failures in which PostgreSQL quotes the row in the message, the detail and the hint. */
async function sendFailingRequests(): Promise<void> {
  const { test } = company;
  const put = () => test.raw('put', create).send(newContribution());
  await database.admin.query(
    `ALTER TABLE transactions ADD CONSTRAINT nothing_more CHECK (amount_cents < 0) NOT VALID`,
  );
  await send('constraint', 500, create, put());
  await database.admin.query('ALTER TABLE transactions DROP CONSTRAINT nothing_more');

  await database.admin.query(
    `CREATE FUNCTION tell_all() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       RAISE EXCEPTION 'it was %', NEW USING DETAIL = NEW::text, HINT = NEW::text;
     END $$`,
  );
  await database.admin.query(
    'CREATE TRIGGER tell_all BEFORE INSERT OR UPDATE ON users FOR EACH ROW EXECUTE FUNCTION tell_all()',
  );
  await send(
    'exception',
    500,
    create,
    test.raw('put', create).send(newContribution({ name: `${canary.name}2` })),
  );
  // One by one: Citus rejects several commands in one text.
  await database.admin.query('DROP TRIGGER tell_all ON users');
  await database.admin.query('DROP FUNCTION tell_all');

  proxy.cutAt('reply', 'create_transaction');
  await send('lost reply', 500, create, put());
  proxy.cutAt('reply', 'create_transaction');
  await send(
    'lost reply with a key',
    503,
    create,
    put().set('Idempotency-Key', `${canary.idempotencyKey}-2`),
  );
  proxy.refuse();
  // On a busy machine, the service may notice late that its connections are closed.
  await until('no connection is open', () => service.container.database.poolState().open === 0);
  await send('no database', 503, create, put());
  proxy.restore();
}

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.url);
  service = await startService({ database, databaseUrl: proxy.url, settings: { LOG_LEVEL: 'trace' } });
  company = await service.addCompany();
  projectId = await addProject(database.admin);
  storyId = await addStory(database.admin, projectId);
  const path = await sendGoodRequests();
  const refused = [
    ...rejectedRequests(company.test, service.anonymous, projectId, path),
    ...invalidRequests(company.test, projectId, path),
  ];
  for (const [what, status, route, request] of refused) await send(what, status, route, request);
  await sendFailingRequests();
  await until('every request is logged', () => lines('request').length >= sent.length);
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  await database.drop();
});

function lines(message: string): Record<string, unknown>[] {
  return service.logLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['msg'] === message);
}

/** The positions of a word in a text, in any encoding. */
function findings(what: string, word: string, text: string): readonly string[] {
  const watch = createLeakWatch({ [what]: word });
  watch.look('here', text);
  return watch.found;
}

test('the requests got the expected responses', () => {
  expect(sent.map(({ what, response }) => [what, response.status])).toEqual(
    sent.map(({ what, status }) => [what, status]),
  );
});

describe('the log', () => {
  test.each(Object.entries(canary))('never contains the %s of a request, in any encoding', (what, word) => {
    expect(service.logLines.length).toBeGreaterThan(sent.length);
    expect(findings(what, word, service.logLines.join('\n'))).toEqual([]);
  });

  test('never contains the secret of a valid key pair', () => {
    const text = service.logLines.join('\n');
    for (const { apiSecret } of [company.test, company.production]) expect(text).not.toContain(apiSecret);
  });

  test('never contains a URL with its query, nor any part of a query', () => {
    const queries = new Set(
      sent.map(({ url }) => new URL(url).search.slice(1)).filter((query) => query !== ''),
    );
    expect(queries.size).toBeGreaterThan(4);
    const text = service.logLines.join('\n');
    for (const query of queries) {
      for (const spelling of [query, decodeURIComponent(query)]) expect(text).not.toContain(spelling);
    }
  });

  test('has one line for each request, with its id, method, route, status and duration', () => {
    expect(lines('request')).toHaveLength(sent.length);
    for (const [index, { status, route, method, response }] of sent.entries()) {
      const own = lines('request').filter((line) => line['request_id'] === `request-${index}`);
      expect(own).toHaveLength(1);
      expect(own[0]).toMatchObject({
        method,
        status,
        answered: true,
        duration_ms: expect.any(Number) as number,
      });
      expect(own[0]!['route']).toBe(route);
      expect(own[0]!['error_code']).toBe(status < 400 ? undefined : response.body.code);
    }
  });

  test('contains the transaction id and the key, by which an operator finds a request', () => {
    const [created] = sent;
    const line = lines('request').find((each) => each['request_id'] === 'request-0');
    expect(line).toMatchObject({
      transaction_id: created!.response.body.transaction_id as string,
      api_key: company.test.apiKey,
      environment_id: expect.any(Number) as number,
    });
  });

  test('contains the valid id in the path of a request that failed, in canonical form', async () => {
    const id = sent[0]!.response.body.transaction_id as string;
    const typed = `${id.slice(0, 4)}-${id.slice(4)}`.toLowerCase();
    const wrong = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
    const url = `${base}/contributions`;
    const { test: keyPair } = company;
    await keyPair.raw('put', `${url}/${typed}`).send({}).set('X-Request-Id', 'failed-400').expect(400);
    await keyPair.raw('put', `${url}/${id}`).set('API-Secret', 'wrong').set('X-Request-Id', 'failed-401');
    await keyPair.raw('get', `${url}/${wrong}`).set('X-Request-Id', 'failed-wrong');
    await keyPair.raw('get', `${url}/%zz`).set('X-Request-Id', 'failed-encoding').expect(400);
    const lineOf = (request: string) => lines('request').find((line) => line['request_id'] === request);
    await until('the requests are logged', () => lineOf('failed-encoding') !== undefined);
    expect(lineOf('failed-400')).toMatchObject({ status: 400, transaction_id: id });
    expect(lineOf('failed-401')).toMatchObject({ status: 401, transaction_id: id });
    expect(lineOf('failed-wrong')).not.toHaveProperty('transaction_id');
    expect(lineOf('failed-encoding')).not.toHaveProperty('transaction_id');
  });

  test('uses error for a 500 only, and warn or less for a 503 and for client errors', () => {
    const levels = lines('failed').map((line) => [line['level'], line['error_code']]);
    expect(levels).toEqual([
      [50, 'internal_error'],
      [50, 'internal_error'],
      [50, 'outcome_unknown'],
      [40, 'database_unavailable'],
      [40, 'database_unavailable'],
    ]);
  });

  test('replaces the id of a request whose X-Request-Id is an API-Secret', async () => {
    const response = await company.test
      .raw('get', `${base}/get/projects`)
      .set('X-Request-Id', company.test.apiSecret!);
    expect(response.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    service.leaks.look('header of the response', JSON.stringify(response.headers));
    expect(service.leaks.found).toEqual([]);
  });

  test('names the constraint or SQLSTATE of a failure, without the row', () => {
    const [constraint, exception] = lines('failed').map((line) => JSON.stringify(line['error']));
    expect(constraint).toContain('nothing_more');
    expect(exception).toContain('P0001');
    for (const text of [constraint, exception]) expect(text).not.toMatch(/Failing row|it was|4\.00|400/);
  });
});

describe('an error response', () => {
  test.each(Object.entries(canary))('never contains the %s of its request, in any encoding', (what, word) => {
    const bodies = sent
      .filter(({ status }) => status >= 400)
      .map(({ response }) => withoutReusedKey(response.text));
    expect(bodies.length).toBeGreaterThan(40);
    expect(findings(what, word, bodies.join('\n'))).toEqual([]);
  });

  test.each(Object.entries(brokenHttp))(
    'to %s repeats nothing from it, and neither does the log',
    async (_what, bytes) => {
      const response = await sendBytes(service.port, bytes);
      expect(response).toMatch(/^HTTP\/1\.1 4\d\d [\s\S]*application\/problem\+json/);
      service.leaks.look('response to invalid HTTP', response);
      expect(service.leaks.found).toEqual([]);
    },
  );

  test('with 500 or 503 contains no internal details', () => {
    for (const { status, response } of sent.filter(({ status }) => status >= 500)) {
      expect([status, response.text]).toEqual([
        status,
        expect.not.stringMatching(/nothing_more|tell_all|P0001|econn|127\.0/i),
      ]);
    }
  });
});
