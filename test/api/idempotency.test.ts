import type { Response, Test } from 'supertest';

import { addProject, archiveProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { lockWaits } from '../support/lock-waits';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

/** A create that is repeated with its Idempotency-Key makes no second contribution. */
let service: TestService;
let company: TestCompany;
let projectId: number;

const createPath = '/company/integration/contributions/create';

let counter = 0;
const unique = (what: string): string => `${what}-${(counter += 1)}`;

interface Request {
  project_id: number;
  amount: unknown;
  user_hash: string;
  name?: string;
}

const newRequest = (overrides: Partial<Request> = {}): Request => ({
  project_id: projectId,
  amount: '10',
  user_hash: unique('user'),
  ...overrides,
});

function create(client: Client, body: Request, key?: string): Test {
  const test = client.put(createPath, body);
  return key === undefined ? test : test.set('Idempotency-Key', key);
}

const idOf = (response: Response): string => (response.body as { transaction_id: string }).transaction_id;

async function count(sql: string, values: unknown[]): Promise<number> {
  const { rows } = await service.database.admin.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM ${sql}`,
    values,
  );
  return rows[0]!.count;
}

const transactionsOf = (userHash: string): Promise<number> =>
  count('transactions JOIN users USING (environment_id, user_id) WHERE user_hash = $1', [userHash]);

/** An accepted create, with the data to repeat it. */
async function created(body = newRequest()): Promise<{ key: string; body: Request; id: string }> {
  const key = unique('key');
  const response = await create(company.test, body, key).expect(201);
  expect(response.get('Idempotent-Replayed')).toBeUndefined();
  return { key, body, id: idOf(response) };
}

/** Expects the repeat to get the first response, and no new rows. */
async function expectReplay(again: Test, id: string): Promise<void> {
  const response = await again.expect(201);
  expect(response.body).toEqual({ transaction_id: id, status: 'pending' });
  expect(response.get('Idempotent-Replayed')).toBe('true');
  expect(response.get('Location')).toMatch(new RegExp(`/company/integration/contributions/${id}$`));
  const createdEvents = `events WHERE transaction_id = $1 AND type = 'contribution.created'`;
  expect(await count(createdEvents, [id])).toBe(1);
}

beforeAll(async () => {
  // A hundred concurrent requests may wait long in the queue on a busy machine.
  service = await startService({ settings: { DATABASE_ACQUIRE_TIMEOUT_MS: '10000' } });
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
});

afterAll(() => service.stop());

describe('a repeat with the same key gets the first response', () => {
  test('byte for byte', async () => {
    const { key, body, id } = await created();
    await expectReplay(create(company.test, body, key), id);
    expect(await transactionsOf(body.user_hash)).toBe(1);
  });

  test.each([10, '10.0', '10.00'])('with the amount "10" written as %p', async (amount) => {
    const { key, body, id } = await created();
    await expectReplay(create(company.test, { ...body, amount }, key), id);
    expect(await transactionsOf(body.user_hash)).toBe(1);
  });

  test.each(['/company/integration/orders/make', '/company/integration/create/payment'])(
    'through %s, as JSON and as a form',
    async (path) => {
      const { key, body, id } = await created();
      await expectReplay(company.test.post(path, body).set('Idempotency-Key', key), id);
      const form = company.test
        .post(path)
        .set('Idempotency-Key', key)
        .field('project_id', String(projectId))
        .field('amount', '10.00')
        .field('user_hash', body.user_hash);
      await expectReplay(form, id);
      expect(await transactionsOf(body.user_hash)).toBe(1);
    },
  );

  test('with another key pair of the environment, as during a key rotation', async () => {
    const { key, body, id } = await created();
    const pair = await service.addPair(company, 'test', ['contributions:create']);
    await expectReplay(create(pair, body, key), id);
  });

  test('with another name, because the name is not compared', async () => {
    const { key, body, id } = await created();
    await expectReplay(create(company.test, { ...body, name: 'Amelia' }, key), id);
  });

  test('with the status pending, even after the contribution was completed', async () => {
    const { key, body, id } = await created();
    await company.test.put(`/company/integration/contributions/${id}`, { status: 'completed' }).expect(200);
    await expectReplay(create(company.test, body, key), id);
  });

  test('after the project was archived', async () => {
    const ownProject = await addProject(service.database.admin);
    const { key, body, id } = await created(newRequest({ project_id: ownProject }));
    await archiveProject(service.database.admin, ownProject);
    await expectReplay(create(company.test, body, key), id);
  });

  test('after the company was suspended', async () => {
    const other = await service.addCompany();
    const body = newRequest();
    const response = await create(other.test, body, 'key').expect(201);
    await service.database.admin.query('UPDATE companies SET suspended_at = now() WHERE name = $1', [
      other.name,
    ]);
    await expectReplay(create(other.test, body, 'key'), idOf(response));
    await create(other.test, body, 'another key').expect(403);
  });
});

describe('the same key with a different request', () => {
  test.each([
    ['project', async () => ({ project_id: await addProject(service.database.admin) })],
    ['amount', () => Promise.resolve({ amount: '10.01' })],
    ['user', () => Promise.resolve({ user_hash: unique('user') })],
    ['project, one that does not exist', () => Promise.resolve({ project_id: 2_147_483_647 })],
  ])('gets 422 when it has another %s, and nothing is stored', async (_what, change) => {
    const { key, body, id } = await created();
    const changed = { ...body, ...(await change()) };
    const response = await create(company.test, changed, key).expect(422);

    expect(response.body).toMatchObject({
      code: 'idempotency_key_reused',
      retryable: false,
      idempotency_key: key,
      transaction_id: id,
    });
    const { detail } = response.body as { detail: string };
    expect(detail).toContain(`"${key}" created ${id}`);
    expect(await count('transactions WHERE idempotency_key = $1', [key])).toBe(1);
    await expectReplay(create(company.test, body, key), id);
  });
});

test('the error names the contribution to a pair that may only create, as a repeat does', async () => {
  const { key, body, id } = await created();
  const pair = await service.addPair(company, 'test', ['contributions:create']);
  await expectReplay(create(pair, body, key), id);
  const response = await create(pair, { ...body, amount: '10.01' }, key).expect(422);
  expect(response.body).toMatchObject({ idempotency_key: key, transaction_id: id });
});

test('the error does not name a key that contains the user_hash', async () => {
  const body = newRequest();
  const key = `${body.user_hash}/1`;
  const id = idOf(await create(company.test, body, key).expect(201));
  const response = await create(company.test, { ...body, amount: '10.01' }, key).expect(422);
  expect(response.body).toMatchObject({ code: 'idempotency_key_reused', transaction_id: id });
  expect(response.text).not.toContain(body.user_hash);
});

test('the error does not name a key that contains the user_hash of the contribution', async () => {
  const body = newRequest();
  const key = `${body.user_hash}/2`;
  const id = idOf(await create(company.test, body, key).expect(201));
  const response = await create(company.test, { ...body, user_hash: unique('other') }, key).expect(422);
  expect(response.body).toMatchObject({ code: 'idempotency_key_reused', transaction_id: id });
  expect(response.text).not.toContain(body.user_hash);
});

test('the other environment of the company does not learn of the contribution', async () => {
  const { key, body, id } = await created();
  const response = await create(company.production, { ...body, amount: '10.01' }, key).expect(201);
  expect(response.text).not.toContain(id);
});

describe('a rejected request does not use up its key', () => {
  test.each([
    ['an unknown project', 422, () => Promise.resolve({ project_id: 2_147_483_647 })],
    [
      'an archived project',
      409,
      async () => ({ project_id: await addProject(service.database.admin, { status: 'archived' }) }),
    ],
    ['an invalid amount', 400, () => Promise.resolve({ amount: '0' })],
  ])('after %s', async (_what, status, fault) => {
    const key = unique('key');
    const body = newRequest();
    await create(company.test, { ...body, ...(await fault()) }, key).expect(status);

    const response = await create(company.test, body, key).expect(201);
    expect(response.get('Idempotent-Replayed')).toBeUndefined();
  });
});

test('the same key in another company or environment is a different key', async () => {
  const other = await service.addCompany();
  const key = unique('key');
  const clients = [company.test, company.production, other.test, other.production];
  const responses = await Promise.all(
    clients.map((client, index) => create(client, newRequest({ amount: index + 1 }), key).expect(201)),
  );

  expect(new Set(responses.map(idOf)).size).toBe(4);
  for (const response of responses) expect(response.get('Idempotent-Replayed')).toBeUndefined();
});

test('keys are compared exactly: case and inner spaces count', async () => {
  const body = newRequest();
  const keys = ['a key', 'A key', 'a  key', 'a-key'].map((key) => unique(key));
  for (const key of keys) await create(company.test, body, key).expect(201);
  expect(await transactionsOf(body.user_hash)).toBe(4);
});

test.each(['k', 'k'.repeat(255), '~!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}'])(
  'the key %s is accepted, and its repeat is recognized',
  async (key) => {
    const body = newRequest();
    const response = await create(company.test, body, key).expect(201);
    await expectReplay(create(company.test, body, key), idOf(response));
  },
);

test.each([
  ['of 256 characters', 'k'.repeat(256), 'invalid_length'],
  ['that is empty', '', 'invalid_length'],
  ['that is not ASCII', 'clé', 'invalid_format'],
  ['with a tab', 'a\tb', 'invalid_format'],
  ['that is sent twice', ['first', 'second'], 'duplicate'],
  ['that is sent twice with the same value', ['same', 'same'], 'duplicate'],
])('a key %s is rejected with 400 that names the header', async (_what, key, code) => {
  const body = newRequest();
  // Node sends an array as two header lines.
  const response = await create(company.test, body)
    .set('Idempotency-Key', key as string)
    .expect(400);

  expect(response.body).toMatchObject({
    code: 'invalid_request',
    errors: [{ header: 'Idempotency-Key', code }],
  });
  expect(await transactionsOf(body.user_hash)).toBe(0);
});

describe('a hundred concurrent requests', () => {
  test('with one key, for a new user, create one of everything and get one response', async () => {
    const body = newRequest({ name: 'Amelia' });
    const key = unique('key');
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => create(company.test, body, key).expect(201)),
    );

    const ids = new Set(responses.map(idOf));
    expect(ids.size).toBe(1);
    expect(responses.filter((response) => response.get('Idempotent-Replayed') === undefined)).toHaveLength(1);
    expect(await count('users WHERE user_hash = $1', [body.user_hash])).toBe(1);
    expect(await transactionsOf(body.user_hash)).toBe(1);
    expect(await count('events WHERE transaction_id = $1', [[...ids][0]])).toBe(1);
  });

  test('with one key, for an existing user, create one transaction and get one response', async () => {
    const { body } = await created();
    const key = unique('key');
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => create(company.test, body, key).expect(201)),
    );

    expect(new Set(responses.map(idOf)).size).toBe(1);
    expect(responses.filter((response) => response.get('Idempotent-Replayed') === undefined)).toHaveLength(1);
    expect(await transactionsOf(body.user_hash)).toBe(2);
  });

  test('with one key and two amounts record one amount, and those with the other amount get 422', async () => {
    const body = newRequest();
    const key = unique('key');
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_none, index) =>
        create(company.test, { ...body, amount: index % 2 ? '10' : '20' }, key),
      ),
    );

    expect(responses.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(responses.filter(({ status }) => status === 422)).toHaveLength(50);
    expect(await transactionsOf(body.user_hash)).toBe(1);
  });

  test('without a key, for a new user, create a hundred transactions of one user', async () => {
    const body = newRequest({ name: 'Amelia' });
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => create(company.test, body).expect(201)),
    );

    expect(new Set(responses.map(idOf)).size).toBe(100);
    expect(await count('users WHERE user_hash = $1', [body.user_hash])).toBe(1);
    expect(await transactionsOf(body.user_hash)).toBe(100);
    expect(await count('events WHERE transaction_id = ANY ($1)', [responses.map(idOf)])).toBe(100);
  });
});

describe('a request whose key is used by a concurrent request stores', () => {
  /** Another transaction commits with the same key while the create waits for it. */
  async function createWhileTaken(key: string, id: string, body: Request): Promise<Response> {
    const taking = await service.database.admin.connect();
    try {
      await taking.query('BEGIN');
      await taking.query(
        `INSERT INTO transactions (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status,
                                   idempotency_key, created_by_api_key, created_at)
         SELECT environment_id, left(transaction_id, 14) || CASE right(transaction_id, 1) WHEN 'Z' THEN 'Y' ELSE 'Z' END, user_id, project_id, amount_cents, currency, 'pending',
                $2, created_by_api_key, clock_timestamp()
           FROM transactions WHERE transaction_id = $1`,
        [id, key],
      );
      const response = create(company.test, body, key).then((received) => received);
      await until('the create waits', async () => (await lockWaits(service.database.admin)).length > 0);
      await taking.query('COMMIT');
      return await response;
    } finally {
      taking.release();
    }
  }

  test('no name, when it gets the response of a repeat', async () => {
    const { body, id } = await created(newRequest({ name: 'Amelia' }));
    const response = await createWhileTaken(unique('key'), id, { ...body, name: 'Noor' });

    expect(response.status).toBe(201);
    expect(response.get('Idempotent-Replayed')).toBe('true');
    expect(await count(`users WHERE user_hash = $1 AND first_name = 'Amelia'`, [body.user_hash])).toBe(1);
  });

  test('no user, when it is rejected with 422', async () => {
    const { body, id } = await created();
    const userHash = unique('user');
    const response = await createWhileTaken(unique('key'), id, { ...body, user_hash: userHash });

    expect(response.status).toBe(422);
    expect(await count('users WHERE user_hash = $1', [userHash])).toBe(0);
  });
});
