import { setTimeout as delay } from 'node:timers/promises';

import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { addProject, addStory } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { periodicQueries } from '../support/periodic-queries';
import { startService, type TestCompany, type TestService } from '../support/service';

const base = '/company/integration';
const create = `${base}/contributions/create`;

let database: TestDatabase;
let proxy: PostgresProxy;
let service: TestService;
let company: TestCompany;
let projectId: number;
let storyId: number;
let transactionCount = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.url);
  service = await startService({ database, databaseUrl: proxy.url });
  company = await service.addCompany();
  projectId = await addProject(database.admin);
  storyId = await addStory(database.admin, projectId);
  for (let rank = 1; rank <= 6; rank += 1) await addProject(database.admin, { rank });
});
beforeEach(async () => {
  // Caches the key pair and opens a connection before each test. On a very busy machine with a late
  // heartbeat, a key pair is cached for one second only.
  await company.test.get(`${base}/get/projects`).expect(200);
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  await database.drop();
});

/** The database statements of an action, without the periodic ones. */
async function roundTripsOf(work: () => PromiseLike<unknown>): Promise<string[]> {
  const before = proxy.roundTrips().length;
  await work();
  return proxy
    .roundTrips()
    .slice(before)
    .filter((name) => !periodicQueries.test(name));
}

const newContribution = (userHash: string) => ({
  project_id: projectId,
  amount: '2.00',
  user_hash: userHash,
});

async function createdPath(
  userHash = `user-${(transactionCount += 1)}`,
  client = company.test,
): Promise<string> {
  const { body } = await client.put(create, newContribution(userHash)).expect(201);
  return `${base}/contributions/${body.transaction_id as string}`;
}

describe('with a cached key pair and an open connection, one round trip is the whole cost of', () => {
  test.each<[string, () => string]>([
    ['the list of projects', () => `${base}/get/projects`],
    ['the list of projects for a user', () => `${base}/get/projects?user_hash=reader`],
    ['a page of projects', () => `${base}/get/projects?limit=2`],
    ['a project', () => `${base}/get/project/${projectId}`],
    [
      'a project with everything',
      () => `${base}/get/project/${projectId}?highlights=1&description=1&user_hash=reader`,
    ],
    ['the main component', () => `${base}/projects-stories`],
    ['the main component for a user', () => `${base}/projects-stories?user_hash=reader`],
    ['the links', () => `${base}/links`],
    ['the events', () => `${base}/events`],
    ['the request log', () => `${base}/sandbox/requests`],
    ['the stories of a project', () => `${base}/get/project/${projectId}/stories`],
    [
      'the stories of a project for a user',
      () => `${base}/get/project/${projectId}/stories?user_hash=reader`,
    ],
  ])('%s', async (_what, path) => {
    expect(await roundTripsOf(() => company.test.get(path()).expect(200))).toHaveLength(1);
  });

  test('a return, its repeat and its undoing', async () => {
    const path = await createdPath();
    await company.test.put(path, { status: 'completed' }).expect(200);
    const moneyReturn = { kind: 'return', amount: '2.00', bank_reference: 'RT-1' };
    const send = () => company.test.post(`${path}/returns`, moneyReturn).expect(201);
    expect(await roundTripsOf(send)).toEqual(['record_return']);
    expect(await roundTripsOf(send)).toEqual(['record_return']);
    const { body } = await send();
    const undo = { reason: 'paid_again', amount: '2.00', bank_reference: 'PA-1' };
    const undoPath = `${path}/returns/${body.return_id as string}/undo`;
    expect(await roundTripsOf(() => company.test.post(undoPath, undo).expect(201))).toEqual([
      'record_return',
    ]);
  });

  test('the main component for a user who supports projects', async () => {
    await company.test.put(await createdPath('supporter'), { status: 'completed' }).expect(200);
    const trips = await roundTripsOf(async () => {
      const { body } = await company.test.get(`${base}/projects-stories?user_hash=supporter`);
      expect(body.data[0]).toMatchObject({ project_id: projectId, is_supported: true });
      expect(body.data).toHaveLength(5);
    });
    expect(trips).toHaveLength(1);
  });

  test.each([
    ['of a new user', 'a-new-user'],
    ['of a known user', 'a-new-user'],
  ])('a create %s', async (_whose, userHash) => {
    const trips = await roundTripsOf(() => company.test.put(create, newContribution(userHash)).expect(201));
    expect(trips).toHaveLength(1);
  });

  test('a create with an Idempotency-Key', async () => {
    const trips = await roundTripsOf(() =>
      company.test.put(create, newContribution('keyed')).set('Idempotency-Key', 'first').expect(201),
    );
    expect(trips).toHaveLength(1);
  });

  test('an order', async () => {
    const trips = await roundTripsOf(() =>
      company.test.post(`${base}/orders/make`, newContribution('orderer')).expect(201),
    );
    expect(trips).toHaveLength(1);
  });

  test('a completion', async () => {
    const path = await createdPath();
    const evidence = { status: 'completed', amount: '2.00', bank_reference: 'FT-1' };
    expect(await roundTripsOf(() => company.test.put(path, evidence).expect(200))).toHaveLength(1);
  });

  test('a contribution', async () => {
    const path = await createdPath();
    expect(await roundTripsOf(() => company.test.get(path).expect(200))).toHaveLength(1);
  });

  test.each([
    ['the first view of a story', 'a-new-viewer'],
    ['a repeated view of a story', 'a-new-viewer'],
  ])('%s', async (_what, userHash) => {
    const trips = await roundTripsOf(() =>
      company.test.put(`${base}/stories/${storyId}/views`, { user_hash: userHash }).expect(204),
    );
    expect(trips).toHaveLength(1);
  });

  test('each of many concurrent requests', async () => {
    const trips = await roundTripsOf(() =>
      Promise.all(Array.from({ length: 50 }, () => company.test.get(`${base}/projects-stories`).expect(200))),
    );
    // A late heartbeat makes the process read the cached pair again, once a second.
    const ofRequests = trips.filter((name) => name !== 'find_known_key_pair');
    expect(ofRequests).toEqual(Array.from({ length: 50 }, () => 'read_main_component'));
    expect(trips.length).toBeLessThan(60);
  });
});

describe('at most two round trips are the cost', () => {
  test('of a list of contributions, which must determine complete_until; its later pages cost one', async () => {
    await createdPath();
    await createdPath();
    let cursor = '';
    const trips = await roundTripsOf(async () => {
      const { body } = await company.test.get(`${base}/contributions?limit=1`).expect(200);
      cursor = body.next_cursor as string;
    });
    const later = await roundTripsOf(() =>
      company.test.get(`${base}/contributions?limit=1&cursor=${cursor}`).expect(200),
    );
    expect(later).toHaveLength(1);
    expect(trips.length).toBeGreaterThanOrEqual(1);
    expect(trips.length).toBeLessThanOrEqual(2);
  });

  // A reset moves the tag of a test environment to another environment, so the tag is not cached.
  test.each([
    ['production', ['find_transaction']],
    ['test', ['find_environment_by_tag', 'find_transaction']],
  ] as const)(
    'of the first contribution that a bank reads of a company in %s; the next cost %j',
    async (kind, next) => {
      const bank = await service.addCompany();
      await service.companies.linkBank(kind, company.name, bank.name);
      const create = () => createdPath(undefined, company[kind]);
      const [first, second] = [await create(), await create()];
      await bank[kind].get(`${base}/links`).expect(200);
      const read = (path: string) => roundTripsOf(() => bank[kind].get(path).expect(200));
      expect(await read(first)).toEqual(['find_environment_by_tag', 'find_transaction']);
      expect(await read(second)).toEqual(next);
      await service.companies.unlinkBank(kind, company.name, bank.name);
    },
  );

  test('when a create is replayed', async () => {
    const send = () =>
      company.test.put(create, newContribution('replayed')).set('Idempotency-Key', 'again').expect(201);
    await send();
    const trips = await roundTripsOf(async () => {
      expect((await send()).get('Idempotent-Replayed')).toBe('true');
    });
    expect(trips.length).toBeGreaterThanOrEqual(1);
    expect(trips.length).toBeLessThanOrEqual(2);
  });

  test('when a completion is repeated', async () => {
    const path = await createdPath();
    await company.test.put(path, { status: 'completed' }).expect(200);
    const trips = await roundTripsOf(async () => {
      const response = await company.test.put(path, { status: 'completed' }).expect(200);
      expect(response.get('Idempotent-Replayed')).toBe('true');
    });
    expect(trips.length).toBeGreaterThanOrEqual(1);
    expect(trips.length).toBeLessThanOrEqual(2);
  });
});

test('a page of a bank costs one round trip, and one for each linked company', async () => {
  const [bank, other] = [await service.addCompany(), await service.addCompany()];
  const companies = [company, other];
  await createdPath();
  for (const { name } of companies) await service.companies.linkBank('test', name, bank.name);
  await bank.test.get(`${base}/links`).expect(200);
  let body: { data: unknown[] } = { data: [] };
  const trips = await roundTripsOf(async () => {
    body = (await bank.test.get(`${base}/contributions?status=pending`).expect(200)).body as typeof body;
  });
  expect(body.data.length).toBeGreaterThan(0);
  expect(trips).toHaveLength(2 + companies.length);
  for (const { name } of companies) await service.companies.unlinkBank('test', name, bank.name);
});

describe('no round trip is made for', () => {
  /** A well-formed id with a wrong check character. */
  async function mistyped(): Promise<string> {
    const path = await createdPath();
    return path.slice(0, -1) + (path.endsWith('7') ? '8' : '7');
  }

  test('reading or completing an id with a wrong check character', async () => {
    const path = await mistyped();
    const trips = await roundTripsOf(async () => {
      await company.test.get(path).expect(404);
      await company.test.put(path, { status: 'completed' }).expect(404);
    });
    expect(trips).toEqual([]);
  });

  test.each<[string, () => PromiseLike<unknown>]>([
    ['a missing credential', () => service.anonymous.get(`${base}/get/projects`).expect(401)],
    ['an invalid query', () => company.test.get(`${base}/get/projects?limit=0`).expect(400)],
    ['an invalid body', () => company.test.put(create, {}).expect(400)],
    ['an unknown path', () => company.test.raw('get', '/nothing').expect(404)],
    ['a method that the path does not have', () => company.test.raw('delete', create).expect(405)],
    [
      'the question whether the process lives',
      () => service.anonymous.raw('get', '/health/live').expect(200),
    ],
  ])('%s', async (_what, request) => {
    expect(await roundTripsOf(request)).toEqual([]);
  });
});

describe('a key pair that is not cached costs one additional round trip', () => {
  test('for the first request only', async () => {
    const client = await service.addPair(company, 'test', ['projects:read']);
    // Issuing a pair notifies the service, which then reads the pair again.
    await delay(500);
    const first = await roundTripsOf(() => client.get(`${base}/projects-stories`).expect(200));
    const second = await roundTripsOf(() => client.get(`${base}/projects-stories`).expect(200));
    expect([first, second]).toEqual([[expect.any(String), 'read_main_component'], ['read_main_component']]);
  });

  test('for every request when it is unknown, because unknown keys are not cached', async () => {
    const { apiKey, apiSecret } = drawKeyPair('test');
    const attempt = () =>
      service.anonymous
        .raw('get', `${base}/projects-stories`)
        .set({ 'API-Key': apiKey, 'API-Secret': apiSecret })
        .expect(401);
    expect(await roundTripsOf(attempt)).toHaveLength(1);
    expect(await roundTripsOf(attempt)).toHaveLength(1);
  });

  test('and so does a wrong secret of a cached key, so that timing does not distinguish the two', async () => {
    const { apiSecret } = drawKeyPair('test');
    const trips = await roundTripsOf(() =>
      service.anonymous
        .raw('get', `${base}/projects-stories`)
        .set({ 'API-Key': company.test.apiKey!, 'API-Secret': apiSecret })
        .expect(401),
    );
    expect(trips).toEqual(['find_unknown_key_pair']);
  });
});

describe('faults of the sandbox', () => {
  const faults = `${base}/sandbox/faults`;
  const links = () => company.test.get(`${base}/links`);

  test('cost one round trip while one is armed for the operation, and none otherwise', async () => {
    const fault = { operation: 'listLinks', kind: 'delay', delay_ms: 0 };
    await company.test.post(faults, fault).expect(200);
    // An armed fault notifies the service, which then reads the pair again.
    await delay(500);
    const other = await roundTripsOf(() => company.test.get(`${base}/projects-stories`).expect(200));
    expect(other).toEqual(['find_known_key_pair', 'read_main_component']);
    expect(await roundTripsOf(() => company.test.get(`${base}/projects-stories`).expect(200))).toHaveLength(
      1,
    );
    expect(await roundTripsOf(() => links().expect(200))).toEqual(['take_sandbox_fault', 'list_links']);
    // The pair is read again, because the fault is used up.
    expect(await roundTripsOf(() => links().expect(200))).toEqual(['find_known_key_pair', 'list_links']);
    expect(await roundTripsOf(() => links().expect(200))).toEqual(['list_links']);
  });

  test('cost nothing in production, also while one is armed in the test environment', async () => {
    await company.production.get(`${base}/links`).expect(200);
    await company.test.post(faults, { operation: 'listLinks', kind: '429', times: 100 }).expect(200);
    const trips = await roundTripsOf(() => company.production.get(`${base}/links`).expect(200));
    expect(trips).toEqual(['list_links']);
    await company.test.delete(faults).expect(204);
  });
});
