import type { Test } from 'supertest';

import { checkCharacter, transactionIdPattern } from '../../src/shared/transaction-id';
import { addProject, archiveProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { publicBaseUrl, startService, type TestCompany, type TestService } from '../support/service';

/**
 * Creating a contribution (specification 4.5) or an order (4.3): one operation with several paths.
 */
let service: TestService;
let company: TestCompany;
let projectId: number;

type Body = Record<string, unknown>;
type Send = (client: Client, body: Body) => Test;

function json(method: 'put' | 'post', path: string): Send {
  return (client, body) =>
    client[method](path).set('Content-Type', 'application/json').send(JSON.stringify(body));
}

function form(path: string): Send {
  return (client, body) =>
    Object.entries(body).reduce((test, [name, value]) => test.field(name, String(value)), client.post(path));
}

const ways: [string, Send][] = [
  ['PUT contributions/create with JSON', json('put', '/company/integration/contributions/create')],
  ['POST orders/make with JSON', json('post', '/company/integration/orders/make')],
  ['POST orders/make with a form', form('/company/integration/orders/make')],
  ['POST create/payment with JSON', json('post', '/company/integration/create/payment')],
  ['POST create/payment with a form', form('/company/integration/create/payment')],
];

let userCount = 0;
const newUser = (): string => `user-${(userCount += 1)}==`;
const contribution = (overrides: Body = {}): Body => ({
  project_id: projectId,
  amount: '25.50',
  user_hash: newUser(),
  ...overrides,
});

async function rows(sql: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await service.database.admin.query<Record<string, unknown>>(sql, values)).rows;
}

async function environmentOf(client: Client): Promise<{ environment_id: number; transaction_tag: string }> {
  const [row] = await rows(
    `SELECT environment_id, transaction_tag FROM key_pairs JOIN environments USING (environment_id) WHERE api_key = $1`,
    [client.apiKey],
  );
  return row as { environment_id: number; transaction_tag: string };
}

async function transactionCount(): Promise<number> {
  const [row] = await rows('SELECT count(*)::integer AS count FROM transactions', []);
  return row!['count'] as number;
}

async function suspend(name: string): Promise<void> {
  await rows('UPDATE companies SET suspended_at = now() WHERE name = $1', [name]);
}

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
});

afterAll(() => service.stop());

describe.each(ways)('%s', (_way, send) => {
  test('a valid request gets 201 with the id, the status pending and the URL of the transaction', async () => {
    const response = await send(company.test, contribution()).expect(201);

    expect(response.body).toEqual({ transaction_id: expect.stringMatching(/^.{15}$/), status: 'pending' });
    expect(response.get('Location')).toBe(
      `${publicBaseUrl}/company/integration/contributions/${response.body.transaction_id as string}`,
    );
    expect(response.get('Environment')).toBe('test');
    expect(response.get('Cache-Control')).toBe('no-store');
    expect(response.get('Idempotent-Replayed')).toBeUndefined();
  });

  test.each(['test', 'production'] as const)(
    'ids of the %s environment carry its tag and a valid check character, and are unique',
    async (kind) => {
      const { transaction_tag: tag } = await environmentOf(company[kind]);
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => send(company[kind], contribution()).expect(201)),
      );

      const ids = responses.map((response) => response.body.transaction_id as string);
      expect(new Set(ids).size).toBe(20);
      for (const id of ids) {
        expect(id).toMatch(transactionIdPattern);
        expect(id.slice(0, 4)).toBe(tag);
        expect(checkCharacter(id.slice(0, 14))).toBe(id.slice(14));
      }
    },
  );

  test('the transaction is stored as pending US dollar cents, without a copy of the user data', async () => {
    const body = contribution({ name: 'Amelia' });
    const { environment_id: environmentId } = await environmentOf(company.test);
    const response = await send(company.test, body).expect(201);

    const kept = await rows('SELECT to_jsonb(t) AS row FROM transactions t WHERE transaction_id = $1', [
      response.body.transaction_id,
    ]);
    expect(kept).toEqual([
      {
        row: expect.objectContaining({
          environment_id: environmentId,
          project_id: projectId,
          amount_cents: 2550,
          currency: 'USD',
          status: 'pending',
          idempotency_key: null,
          created_by_api_key: company.test.apiKey,
          completed_at: null,
          completed_by_environment_id: null,
        }),
      },
    ]);
    expect(JSON.stringify(kept)).not.toContain(body['user_hash']);
    expect(JSON.stringify(kept)).not.toContain('Amelia');
  });

  test('one event is appended, without user_hash and name', async () => {
    const body = contribution({ name: 'Amelia' });
    const { environment_id: environmentId } = await environmentOf(company.test);
    const response = await send(company.test, body).expect(201);

    const events = await rows('SELECT to_jsonb(e) AS row FROM events e WHERE transaction_id = $1', [
      response.body.transaction_id,
    ]);
    expect(events).toEqual([
      {
        row: {
          environment_id: environmentId,
          event_id: expect.any(String),
          transaction_id: response.body.transaction_id,
          type: 'contribution.created',
          completion: 1,
          actor_login: null,
          actor_environment_id: environmentId,
          actor_api_key: company.test.apiKey,
          evidence: { project_id: projectId, amount_cents: 2550 },
          recorded_at: expect.any(String),
        },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(body['user_hash']);
    expect(JSON.stringify(events)).not.toContain('Amelia');
  });

  test('the name is stored with the user, is replaced by a later one, and stays when a later request has none', async () => {
    const userHash = newUser();
    const nameAfter = async (overrides: Body): Promise<unknown> => {
      await send(company.test, contribution({ user_hash: userHash, ...overrides })).expect(201);
      const users = await rows('SELECT first_name FROM users WHERE user_hash = $1', [userHash]);
      expect(users).toHaveLength(1);
      return users[0]!['first_name'];
    };

    expect(await nameAfter({})).toBeNull();
    expect(await nameAfter({ name: 'Amélie 王' })).toBe('Amélie 王');
    expect(await nameAfter({})).toBe('Amélie 王');
    expect(await nameAfter({ name: 'Emmeline' })).toBe('Emmeline');
    expect(await nameAfter({ name: '' })).toBe('Emmeline');
  });

  test('unknown members are ignored', async () => {
    const body = JSON.parse(
      JSON.stringify(contribution()).replace(
        '{',
        '{"__proto__":"x","constructor":"x","toString":"x","status":"pending","transaction_id":"x",',
      ),
    ) as Body;
    const response = await send(company.test, body).expect(201);

    const kept = await rows('SELECT status, amount_cents FROM transactions WHERE transaction_id = $1', [
      response.body.transaction_id,
    ]);
    expect(kept).toEqual([{ status: 'pending', amount_cents: '2550' }]);
  });

  test('the status completed is rejected, because a contribution is created as pending', async () => {
    const response = await send(company.test, contribution({ status: 'completed' })).expect(400);
    expect(response.body.errors).toMatchObject([{ pointer: '/status', code: 'unsupported_value' }]);
  });

  test('currency may be USD or empty', async () => {
    await send(company.test, contribution({ currency: 'USD' })).expect(201);
    await send(company.test, contribution({ currency: '' })).expect(201);
  });

  test.each(['EUR', 'usd', 'US', ' USD'])('the currency "%s" is rejected with 400', async (currency) => {
    const response = await send(company.test, contribution({ currency })).expect(400);
    expect(response.body.errors).toEqual([
      { pointer: '/currency', code: 'unsupported_value', detail: expect.any(String) },
    ]);
  });

  test('an unknown project is rejected with 422 that points at project_id, and nothing is stored', async () => {
    const body = contribution({ project_id: 2_147_483_647 });
    const before = await transactionCount();
    const response = await send(company.test, body).expect(422);

    expect(response.body).toMatchObject({
      code: 'project_not_found',
      retryable: false,
      errors: [{ pointer: '/project_id', code: 'not_found' }],
    });
    expect(await transactionCount()).toBe(before);
    expect(await rows('SELECT FROM users WHERE user_hash = $1', [body['user_hash']])).toEqual([]);
  });

  test('an archived project is rejected with 409, and nothing is stored', async () => {
    const archived = await addProject(service.database.admin);
    await archiveProject(service.database.admin, archived);
    const body = contribution({ project_id: archived });
    const before = await transactionCount();
    const response = await send(company.test, body).expect(409);

    expect(response.body).toMatchObject({ code: 'project_not_accepting', retryable: false });
    expect(await transactionCount()).toBe(before);
    expect(await rows('SELECT FROM users WHERE user_hash = $1', [body['user_hash']])).toEqual([]);
  });

  test('a suspended company cannot create, but its earlier contributions can be completed and read', async () => {
    const suspended = await service.addCompany();
    const created = await send(suspended.test, contribution()).expect(201);
    await suspend(suspended.name);

    const refused = await send(suspended.test, contribution()).expect(403);
    expect(refused.body).toMatchObject({ code: 'company_suspended', retryable: false });
    await send(suspended.production, contribution()).expect(403);

    const address = `/company/integration/contributions/${created.body.transaction_id as string}`;
    await suspended.test.put(address, { status: 'completed' }).expect(200);
    const read = await suspended.test.get(address).expect(200);
    expect(read.body.status).toBe('completed');
  });
});

test('the same user_hash is a separate user in each environment of a company', async () => {
  const body = contribution({ name: 'Amelia' });
  const [, send] = ways[0]!;
  await send(company.test, body).expect(201);
  await send(company.production, { ...body, name: 'Emmeline' }).expect(201);

  const users = await rows(
    `SELECT e.kind, u.first_name FROM users u JOIN environments e USING (environment_id) WHERE user_hash = $1 ORDER BY 1`,
    [body['user_hash']],
  );
  expect(users).toEqual([
    { kind: 'production', first_name: 'Emmeline' },
    { kind: 'test', first_name: 'Amelia' },
  ]);
});

test('neither user_hash nor name appears in the log', async () => {
  const body = contribution({ user_hash: 'never-in-a-log==', name: 'Nevermore' });
  await Promise.all(ways.map(([, send]) => send(company.test, body).expect(201)));

  service.container.flushLogs();
  const log = service.logLines.join('\n');
  expect(log).toContain('"msg":"request"');
  expect(log).not.toContain('never-in-a-log');
  expect(log).not.toContain('Nevermore');
});
