import type { Response } from 'supertest';

import { addProject, addStory } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { type CutMoment, type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

const base = '/company/integration';
const create = `${base}/contributions/create`;
const pool = 'contribution-service';
const replyTimeoutMs = 1_200;

let database: TestDatabase;
let proxy: PostgresProxy;
let service: TestService;
let company: TestCompany;
let projectId: number;
let storyId: number;
let count = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.url);
  service = await startService({
    database,
    databaseUrl: proxy.url,
    settings: {
      DATABASE_ACQUIRE_TIMEOUT_MS: '1000',
      DATABASE_STATEMENT_TIMEOUT_MS: '1000',
      DATABASE_ANSWER_TIMEOUT_MS: String(replyTimeoutMs),
    },
  });
  company = await service.addCompany();
  projectId = await addProject(database.admin);
  storyId = await addStory(database.admin, projectId);
});
beforeEach(async () => {
  // The key pair is cached and a connection is open, so that the operation itself fails next.
  await until(
    'it responds',
    async () => (await company.test.raw('get', `${base}/get/projects`)).status === 200,
  );
  // It goes back to the pool after the response.
  await until('the connection is idle', () => {
    const { open, idle } = service.container.database.poolState();
    return open > 0 && idle === open;
  });
});
afterEach(() => {
  proxy.restore();
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  await database.drop();
});

/** A new user for each contribution, to find its rows. */
const newUser = () => `user-${(count += 1)}`;
const newContribution = (userHash: string) => ({
  project_id: projectId,
  amount: '7.00',
  user_hash: userHash,
});

async function rowsOf(userHash: string): Promise<string[]> {
  const { rows } = await database.admin.query<{ transaction_id: string }>(
    'SELECT transaction_id FROM transactions JOIN users USING (environment_id, user_id) WHERE user_hash = $1',
    [userHash],
  );
  return rows.map((row) => row.transaction_id);
}

async function eventsOf(path: string): Promise<string[]> {
  const { rows } = await database.admin.query<{ type: string }>(
    'SELECT type FROM events WHERE transaction_id = $1 ORDER BY recorded_at',
    [path.split('/').at(-1)],
  );
  return rows.map((row) => row.type);
}

async function createdPath(): Promise<string> {
  const { body } = await company.test.put(create, newContribution(newUser())).expect(201);
  return `${base}/contributions/${body.transaction_id as string}`;
}

/** Internal details that must not appear in a response. */
function expectNoInternals(response: Response): void {
  expect(response.text).not.toMatch(
    /select|insert|update |127\.0\.0\.1|localhost|econn|terminat|node_modules|postgres|\bpg\b|\.ts:|stack|constraint/i,
  );
}

function expectRetryable(response: Response, code: string): void {
  expect([response.status, response.body.code, response.body.retryable]).toEqual([503, code, true]);
  expect(response.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  expectNoInternals(response);
}

const reads: [string, string, () => string][] = [
  ['the list of projects', 'list_projects', () => `${base}/get/projects`],
  ['a project', 'find_project', () => `${base}/get/project/${projectId}`],
  ['the main component', 'read_main_component', () => `${base}/projects-stories?user_hash=user`],
  ['the stories', 'list_stories', () => `${base}/get/project/${projectId}/stories`],
];

describe.each<[CutMoment, string]>([
  ['request', 'before the statement reaches the server'],
  ['reply', 'after the server has committed and before it replies'],
])('a connection that is lost (%s: %s)', (moment) => {
  const wasCommitted = moment === 'reply';

  test.each(reads)('causes 503 for %s, and the next request succeeds', async (_what, statement, path) => {
    proxy.cutAt(moment, statement);
    expectRetryable(await company.test.get(path()), 'database_unavailable');
    await company.test.get(path()).expect(200);
  });

  test('causes 503 for a completion, and its retry gets 200 with a single effect', async () => {
    const path = await createdPath();
    proxy.cutAt(moment, 'complete_transaction');
    expectRetryable(await company.test.put(path, { status: 'completed' }), 'database_unavailable');
    const retried = await company.test.put(path, { status: 'completed' }).expect(200);
    expect(retried.get('Idempotent-Replayed')).toBe(wasCommitted ? 'true' : undefined);
    expect(await eventsOf(path)).toEqual(['contribution.created', 'contribution.completed']);
  });

  test('causes 503 for the view of a story, and its retry succeeds', async () => {
    const view = () => company.test.put(`${base}/stories/${storyId}/views`, { user_hash: newUser() });
    proxy.cutAt(moment, 'record_story_view');
    expectRetryable(await view(), 'database_unavailable');
    await view().expect(204);
  });

  test.each([create, `${base}/orders/make`, `${base}/create/payment`])(
    'causes 503 for %s with an Idempotency-Key, and its retry gets 201 with one row',
    async (path) => {
      const userHash = newUser();
      const send = () =>
        company.test
          .raw(path === create ? 'put' : 'post', path)
          .set('Idempotency-Key', userHash)
          .send(newContribution(userHash));
      proxy.cutAt(moment, 'create_transaction');
      expectRetryable(await send(), 'database_unavailable');
      const retried = await send();
      expect(retried.status).toBe(201);
      expect(retried.get('Idempotent-Replayed')).toBe(wasCommitted ? 'true' : undefined);
      expect(await rowsOf(userHash)).toEqual([retried.body.transaction_id]);
    },
  );

  test.each([create, `${base}/orders/make`, `${base}/create/payment`])(
    'causes 500 outcome_unknown for %s without a key, with advice on how to look it up',
    async (path) => {
      const userHash = newUser();
      proxy.cutAt(moment, 'create_transaction');
      const response = await company.test
        .raw(path === create ? 'put' : 'post', path)
        .send(newContribution(userHash));
      expect([response.status, response.body.code, response.body.retryable]).toEqual([
        500,
        'outcome_unknown',
        false,
      ]);
      expect(response.get('Retry-After')).toBeUndefined();
      expect(response.body.detail).toContain('GET /company/integration/contributions?user_hash=');
      expectNoInternals(response);
      const found = await company.test.get(`${base}/contributions?user_hash=${userHash}`).expect(200);
      const ids = (found.body.data as { transaction_id: string }[]).map((row) => row.transaction_id);
      expect(ids).toHaveLength(wasCommitted ? 1 : 0);
      expect(ids).toEqual(await rowsOf(userHash));
    },
  );
});

describe('a server that sends a termination message together with its reply', () => {
  test('has replied, and the reply counts', async () => {
    const userHash = newUser();
    proxy.cutAt('after-reply', 'create_transaction');
    const response = await company.test.put(create, newContribution(userHash)).expect(201);
    expect(await rowsOf(userHash)).toEqual([response.body.transaction_id]);
  });

  test('gets no further statement on that connection', async () => {
    proxy.cutAt('after-reply', 'list_projects');
    for (let request = 0; request < 3; request += 1) {
      await company.test.get(`${base}/get/projects`).expect(200);
    }
  });
});

describe('connections that are lost while idle', () => {
  test('affect no later request, not even a create without a key', async () => {
    const lost = () => service.logLines.filter((line) => line.includes('idle database connection')).length;
    const before = lost();
    proxy.cut();
    await until('the loss is noticed', () => lost() > before);
    const userHash = newUser();
    await company.test.put(create, newContribution(userHash)).expect(201);
    expect(await rowsOf(userHash)).toHaveLength(1);
  });
});

describe('an unreachable database', () => {
  test('causes a retryable 503 for a create without a key, because nothing was sent', async () => {
    const userHash = newUser();
    proxy.refuse(pool);
    expectRetryable(await company.test.put(create, newContribution(userHash)), 'database_unavailable');
    proxy.restore();
    await company.test.put(create, newContribution(userHash)).expect(201);
    expect(await rowsOf(userHash)).toHaveLength(1);
  });

  test.each(reads)(
    'causes 503 for %s, which succeeds as soon as the database is back',
    async (_what, _statement, path) => {
      proxy.refuse(pool);
      expectRetryable(await company.test.get(path()), 'database_unavailable');
      proxy.restore();
      await company.test.get(path()).expect(200);
    },
  );

  test('causes 503 for a completion, and its retry gets 200', async () => {
    const path = await createdPath();
    proxy.refuse(pool);
    expectRetryable(await company.test.put(path, { status: 'completed' }), 'database_unavailable');
    proxy.restore();
    await company.test.put(path, { status: 'completed' }).expect(200);
  });
});

// Without the limits, these requests would never end.
describe('a database that stops responding', () => {
  test('causes 503 for a read in bounded time', async () => {
    proxy.freeze(pool);
    expectRetryable(await company.test.get(`${base}/get/projects`), 'database_unavailable');
  });

  test('causes 500 outcome_unknown for a create without a key on an open connection', async () => {
    proxy.freeze(pool);
    const response = await company.test.put(create, newContribution(newUser()));
    expect([response.status, response.body.code]).toEqual([500, 'outcome_unknown']);
    expectNoInternals(response);
  });

  test('causes 503 for a create without a key when there is no connection yet', async () => {
    proxy.refuse(pool);
    proxy.restore();
    proxy.freeze(pool);
    const userHash = newUser();
    expectRetryable(await company.test.put(create, newContribution(userHash)), 'database_unavailable');
    expect(await rowsOf(userHash)).toEqual([]);
  });

  test('on one connection affects one request: that connection is not used again', async () => {
    proxy.cutAt('silence', 'list_projects');
    expectRetryable(await company.test.get(`${base}/get/projects`), 'database_unavailable');
    for (let request = 0; request < 3; request += 1) {
      await company.test.get(`${base}/get/projects`).expect(200);
    }
  });

  test('is used again when it responds again', async () => {
    proxy.freeze(pool);
    await company.test.get(`${base}/get/projects`);
    proxy.restore();
    await until('it responds', async () => (await company.test.get(`${base}/get/projects`)).status === 200);
  });
});

test('a prepared statement whose columns changed causes one 503 per connection, then succeeds again', async () => {
  const list = () => company.test.raw('get', `${base}/get/projects`);
  expect((await list()).status).toBe(200);
  await database.admin.query('ALTER TABLE projects ALTER COLUMN project_name TYPE varchar(300)');
  // The pool may use another connection than the one that prepared the statement. Several requests
  // at once use all of them.
  let refused: Response | undefined;
  await until('the old connection is used', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, list));
    refused = responses.find(({ status }) => status !== 200);
    return refused !== undefined;
  });
  expect([refused?.status, refused?.body.retryable]).toEqual([503, true]);
  await until('every old connection is replaced', async () => (await list()).status === 200);
});
