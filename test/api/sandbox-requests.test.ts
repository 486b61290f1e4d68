import { canary, canaryContribution, rejectedRequests } from '../support/canary-requests';
import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { createLeakWatch } from '../support/leaks';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';

/** The request log of the sandbox. */
const base = '/company/integration';
const requests = `${base}/sandbox/requests`;
const create = `${base}/contributions/create`;

interface Entry {
  request_id: string;
  path: string | null;
  body: Record<string, unknown> | null;
  [member: string]: unknown;
}

let service: TestService;
let projectId: number;

beforeAll(async () => {
  service = await startService({ pollMs: 100 });
  projectId = await addProject(service.database.admin);
});
afterAll(() => service.stop());

const list = async (client: Client, query = ''): Promise<Entry[]> =>
  ((await client.get(`${requests}${query}`).expect(200)).body as { data: Entry[] }).data;

/** The entry of a request, as soon as it is written. */
async function entryOf(client: Client, requestId: string): Promise<Entry> {
  let found: Entry | undefined;
  await until(`${requestId} is logged`, async () => {
    found = (await list(client, '?limit=1000')).find(({ request_id }) => request_id === requestId);
    return found !== undefined;
  });
  return found!;
}

/** Waits for everything that was sent before. */
async function flushed(client: Client): Promise<void> {
  const response = await client.get(`${base}/links`).expect(200);
  await entryOf(client, response.get('X-Request-Id')!);
}

test('an entry describes a create without personal data', async () => {
  const company = await service.addCompany();
  const response = await company.test
    .put(create, canaryContribution(projectId, { unknown: canary.unknown }))
    .set('Idempotency-Key', 'order-1042')
    .set('X-Request-Id', 'my-create')
    .expect(201);
  expect(await entryOf(company.test, 'my-create')).toEqual({
    received_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    request_id: 'my-create',
    method: 'PUT',
    path: create,
    operation: 'createContribution',
    status: 201,
    duration_ms: expect.any(Number) as number,
    api_key: company.test.apiKey,
    idempotency_key: 'order-1042',
    idempotent_replayed: false,
    transaction_id: (response.body as { transaction_id: string }).transaction_id,
    fault: null,
    error_code: null,
    error_detail: null,
    errors: [],
    query: {},
    body: { user_hash: '[removed]', name: '[removed]', project_id: projectId, amount: '4.00' },
  });
});

test('the entry of a rejected request has the error of the response', async () => {
  const { test: client } = await service.addCompany();
  const body = { project_id: projectId, amount: '25,00', status: 'done', currency: 'EUR' };
  await client.put(create, body).set('X-Request-Id', 'rejected').expect(400);
  expect(await entryOf(client, 'rejected')).toMatchObject({
    status: 400,
    error_code: 'invalid_request',
    error_detail: 'The request has 4 problems. See errors.',
    errors: expect.arrayContaining([
      expect.objectContaining({ pointer: '/amount' }),
      expect.objectContaining({ pointer: '/user_hash', code: 'required' }),
    ]) as unknown[],
    body: { project_id: projectId, amount: '25,00', status: '[removed]', currency: 'EUR' },
  });
});

test('paths show ids that have the form of one, and queries show known parameters', async () => {
  const { test: client } = await service.addCompany();
  const { body } = await client.put(create, { project_id: projectId, amount: 1, user_hash: 'u' }).expect(201);
  const id = (body as { transaction_id: string }).transaction_id;
  await client.get(`${base}/contributions/${id}`).set('X-Request-Id', 'known').expect(200);
  await client.get(`${base}/contributions/somebody`).set('X-Request-Id', 'mistyped').expect(404);
  await client
    .get(`${base}/contributions?status=pending&limit=7&user_hash=u&created_from=2026-01-01T00:00:00Z`)
    .set('X-Request-Id', 'filtered')
    .expect(200);
  const endpointId = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b';
  await client
    .get(`${base}/webhook-endpoints/${endpointId}/attempts?outcome=failed&unknown=u`)
    .set('X-Request-Id', 'of-a-feature');
  await client.raw('get', '/nothing/somebody').set('X-Request-Id', 'nowhere').expect(404);
  expect(await entryOf(client, 'known')).toMatchObject({ path: `${base}/contributions/${id}` });
  expect(await entryOf(client, 'mistyped')).toMatchObject({ path: `${base}/contributions/{transaction_id}` });
  expect(await entryOf(client, 'filtered')).toMatchObject({
    body: null,
    query: { status: 'pending', limit: '7', user_hash: '[removed]', created_from: '2026-01-01T00:00:00Z' },
  });
  expect(await entryOf(client, 'of-a-feature')).toMatchObject({
    path: `${base}/webhook-endpoints/${endpointId}/attempts`,
    query: { outcome: 'failed' },
  });
  expect(await entryOf(client, 'nowhere')).toMatchObject({ path: null, error_code: 'path_not_found' });
});

test.each([
  ['createContribution', '503_before'],
  ['deliverWebhook', 'duplicate'],
])('an entry shows the kind of a fault that is armed for %s', async (operation, kind) => {
  const { test: client } = await service.addCompany();
  await client
    .post(`${base}/sandbox/faults`, { operation, kind })
    .set('X-Request-Id', `armed-${kind}`)
    .expect(200);
  expect(await entryOf(client, `armed-${kind}`)).toMatchObject({ body: { kind } });
});

test('an entry names the fault that the caller asked for, and has no status without a response', async () => {
  const { test: client } = await service.addCompany();
  const send = (kind: string) =>
    client.get(`${base}/links`).set({ 'Sandbox-Fault': kind, 'X-Request-Id': kind });
  await send('503_before').expect(503);
  await expect(send('answer_lost_after_commit')).rejects.toThrow();
  expect(await entryOf(client, '503_before')).toMatchObject({ fault: '503_before', status: 503 });
  const lost = { fault: 'answer_lost_after_commit', status: null };
  expect(await entryOf(client, 'answer_lost_after_commit')).toMatchObject(lost);
});

test('the newest entry is first, the limit counts from there, and reads of the log are not logged', async () => {
  const { test: client } = await service.addCompany();
  for (const id of ['one', 'two', 'three']) {
    await client.get(`${base}/links`).set('X-Request-Id', id).expect(200);
  }
  await entryOf(client, 'three');
  expect((await list(client)).map(({ request_id }) => request_id)).toEqual(['three', 'two', 'one']);
  expect((await list(client, '?limit=2')).map(({ request_id }) => request_id)).toEqual(['three', 'two']);
  await client.get(`${requests}?limit=1001`).expect(400);
});

test('a company sees the requests of all its test pairs, and no other ones', async () => {
  const company = await service.addCompany();
  const other = await service.addCompany();
  const second = await service.addPair(company, 'test', ['projects:read']);
  await second.get(`${base}/get/projects`).set('X-Request-Id', 'second').expect(200);
  await company.production.get(`${base}/get/projects`).set('X-Request-Id', 'production').expect(200);
  await other.test.get(`${base}/get/projects`).set('X-Request-Id', 'other').expect(200);
  await flushed(company.test);
  await flushed(other.test);
  const ids = (await list(company.test)).map(({ request_id }) => request_id);
  expect(ids).toContain('second');
  expect(ids).not.toContain('production');
  expect(ids).not.toContain('other');
  expect(await entryOf(company.test, 'second')).toMatchObject({ api_key: second.apiKey });
});

test('a production pair gets sandbox_only, whatever else is wrong with the request', async () => {
  const { production } = await service.addCompany();
  const response = await production.get(`${requests}?limit=nonsense`).expect(403);
  expect(response.body).toMatchObject({ code: 'sandbox_only' });
});

test('nothing personal or secret is stored, wherever a request contains it', async () => {
  const { test: client } = await service.addCompany();
  const sent = canaryContribution(projectId);
  const { body } = await client.put(create, sent).set('Idempotency-Key', canary.idempotencyKey).expect(201);
  const path = `${base}/contributions/${(body as { transaction_id: string }).transaction_id}`;
  const evidence = { status: 'completed', amount: '4.00', bank_reference: canary.bankReference };
  await client.put(path, evidence).expect(200);
  for (const [, status, , request] of rejectedRequests(client, service.anonymous, projectId, path)) {
    await request.expect(status);
  }
  const hash = canary.userHash;
  for (const key of [hash, `${hash}-1`, `${canary.name}-1`, canary.secret]) {
    await client.put(create, sent).set('Idempotency-Key', key);
  }
  for (const key of [encodeURIComponent(hash), hash.toUpperCase()]) {
    const response = await client.put(create, sent).set('Idempotency-Key', key).expect(201);
    expect(await entryOf(client, response.get('X-Request-Id')!)).toMatchObject({
      idempotency_key: '[removed]',
    });
  }
  await client
    .put(create, { ...sent, user_hash: [hash] })
    .set('Idempotency-Key', hash)
    .expect(400);
  for (const body of [`{"user_hash":"${hash}","user_hash":"${hash}"}`, `{"user_hash":"${hash}"`]) {
    await client
      .raw('put', create)
      .set({ 'Idempotency-Key': hash, 'Content-Type': 'application/json' })
      .send(body)
      .expect(400);
  }
  // The service's errors repeat a name that the caller chose, so it is not the canary.
  const wrongName = 'PersonalName+/==';
  for (const [name, value] of Object.entries({ project_id: hash, currency: hash, [wrongName]: hash })) {
    await client.put(create, { ...sent, [name]: value });
    await client.get(`${base}/contributions?${new URLSearchParams({ [name]: value }).toString()}`);
  }
  await client.raw('post', `${base}/orders/make`).field(wrongName, hash).field(wrongName, hash).expect(400);
  await flushed(client);

  const watch = createLeakWatch({ ...canary, wrongName, idempotencyKey: '' });
  const { rows } = await service.database.admin.query<{ entry: string }>(
    'SELECT r::text AS entry FROM sandbox_requests r',
  );
  expect(rows.length).toBeGreaterThan(30);
  for (const { entry } of rows) watch.look('sandbox_requests', entry);
  expect(watch.found).toEqual([]);
  expect(rows.filter(({ entry }) => entry.includes(canary.idempotencyKey))).not.toEqual([]);
});

test('an environment keeps its newest 1,000 entries of 24 hours, and others are untouched', async () => {
  const company = await service.addCompany();
  const other = await service.addCompany();
  await flushed(company.test);
  await flushed(other.test);
  const { rows } = await service.database.admin.query<{ environment_id: number }>(
    'SELECT environment_id FROM key_pairs WHERE api_key = $1',
    [company.test.apiKey],
  );
  const insert = (count: number, age: string): Promise<unknown> =>
    service.database.admin.query(
      `INSERT INTO sandbox_requests (environment_id, received_at, entry_id, request_id, method, duration_ms, api_key, details)
       SELECT $1, now() - $2::interval - n * interval '1 millisecond', gen_random_uuid(), 'r' || n, 'GET', 1, 'k', o.details
         FROM generate_series(1, $3) AS n, (SELECT details FROM sandbox_requests LIMIT 1) AS o`,
      [rows[0]!.environment_id, age, count],
    );
  await insert(5, '25 hours');
  expect(await list(company.test, '?limit=1000')).toHaveLength(1);
  await insert(1_500, '1 minute');
  for (let sent = 0; sent < 201; sent += 1) await company.test.get(`${base}/links`).expect(200);
  await flushed(company.test);
  const count = async (): Promise<number> => {
    const found = await service.database.admin.query<{ count: string }>(
      'SELECT count(*) FROM sandbox_requests WHERE environment_id = $1',
      [rows[0]!.environment_id],
    );
    return Number(found.rows[0]!.count);
  };
  // The writer lets a few more accumulate before it trims again.
  await until('the entries are trimmed', async () => (await count()) <= 1_200);
  expect(await list(company.test, '?limit=1000')).toHaveLength(1_000);
  expect((await list(other.test)).length).toBe(1);
});

test('stopping writes what was collected, and the metric counts it', async () => {
  const stopped = await startService({ database: service.database });
  const company = await stopped.addCompany('Stopped Company');
  await company.test.get(`${base}/links`).set('X-Request-Id', 'last-words').expect(200);
  await stopped.stop();
  const { rows } = await service.database.admin.query(
    `SELECT FROM sandbox_requests WHERE request_id = 'last-words'`,
  );
  expect(rows).toHaveLength(1);
  const metrics = await stopped.container.metrics.registry.metrics();
  expect(metrics).toContain('sandbox_logged_requests_total{outcome="written"} 1');
});

test('with SANDBOX_REQUEST_LOG=off, nothing is written', async () => {
  const quiet = await startService({ database: service.database, settings: { SANDBOX_REQUEST_LOG: 'off' } });
  const company = await quiet.addCompany('Quiet Company');
  await company.test.get(`${base}/links`).set('X-Request-Id', 'unlogged').expect(200);
  expect(await list(company.test)).toEqual([]);
  await quiet.stop();
  const { rows } = await service.database.admin.query(
    `SELECT FROM sandbox_requests WHERE request_id = 'unlogged'`,
  );
  expect(rows).toEqual([]);
});
