import { readFeed, relayAll } from '../support/feed';
import { createCompletions } from '../support/completions';
import { startService, type TestCompany, type TestService } from '../support/service';

/** The endpoints to which events are delivered: settings, limits, secrets and addresses. */
const path = '/company/integration/webhook-endpoints';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function code(response: PromiseLike<{ status: number; body: unknown }>): Promise<[number, unknown]> {
  const { status, body } = await response;
  return [status, (body as { code?: string }).code];
}

const url = 'https://app.example.com/webhooks';
const newCompany = (): Promise<TestCompany> => service.addCompany();
const secretPattern = /^whsec_[\w+/]{43}=$/;

test('an endpoint starts after the last event, with a secret that is shown once', async () => {
  const company = await newCompany();
  const completions = await createCompletions(service, company);
  await completions.create('5.00');
  await relayAll(service.database.admin);
  const created = await company.test.post(path, { url, types: ['contribution.completed'] }).expect(201);
  expect(created.body).toMatchObject({
    url,
    types: ['contribution.completed'],
    description: null,
    status: 'unverified',
    position: (await readFeed(company.test)).last_sequence,
    secret_version: 1,
  });
  const { secret, ...shown } = created.body as { secret: string; endpoint_id: string };
  expect(secret).toMatch(secretPattern);
  expect(created.headers['location']).toBe(`https://api.test${path}/${shown.endpoint_id}`);
  const read = await company.test.get(`${path}/${shown.endpoint_id.toUpperCase()}`).expect(200);
  expect(read.body).toEqual(shown);
  expect((await company.test.get(path).expect(200)).body).toEqual({ data: [shown], has_more: false });
});

test.each(['production', 'test'] as const)(
  'a %s endpoint needs a ping first, and again after its URL has changed',
  async (kind) => {
    const { [kind]: client } = await newCompany();
    const { body } = await client.post(path, { url }).expect(201);
    expect(body.status).toBe('unverified');
    const one = `${path}/${body.endpoint_id as string}`;
    await service.database.admin.query(
      'UPDATE webhook_endpoints SET verified_at = now() WHERE endpoint_id = $1',
      [body.endpoint_id],
    );
    expect((await client.patch(one, { url, description: 'x' }).expect(200)).body.status).toBe('enabled');
    expect((await client.patch(one, { url: `${url}/2` }).expect(200)).body.status).toBe('unverified');
  },
);

test('a change keeps the members that the request omits', async () => {
  const { test: client } = await newCompany();
  const { body } = await client.post(path, { url, types: ['contribution.returned'] }).expect(201);
  const one = `${path}/${body.endpoint_id as string}`;
  const changed = await client.patch(one, { description: 'Returns' }).expect(200);
  expect(changed.body).toMatchObject({ url, types: ['contribution.returned'], description: 'Returns' });
  const all = await client.patch(one, { types: [] }).expect(200);
  expect(all.body).toMatchObject({ types: [], description: 'Returns' });
});

test('an environment has at most 10 endpoints, and a deleted one does not count', async () => {
  const { test: client } = await newCompany();
  const outcomes = await Promise.all(
    Array.from({ length: 14 }, (_, index) => code(client.post(path, { url: `${url}/${index}` }))),
  );
  expect(outcomes.filter(([status]) => status === 201)).toHaveLength(10);
  expect(outcomes.filter(([, error]) => error === 'webhook_endpoint_limit')).toHaveLength(4);
  const { body } = await client.get(path).expect(200);
  const [first] = body.data as { endpoint_id: string }[];
  await client.delete(`${path}/${first!.endpoint_id}`).expect(204);
  expect(await code(client.delete(`${path}/${first!.endpoint_id}`))).toEqual([
    404,
    'webhook_endpoint_not_found',
  ]);
  await client.post(path, { url: `${url}/new` }).expect(201);
});

test('a URL belongs to one endpoint of an environment, also for concurrent requests', async () => {
  const { test: client } = await newCompany();
  const outcomes = await Promise.all([1, 2, 3].map(() => code(client.post(path, { url }))));
  expect(outcomes.map(([status]) => status).sort()).toEqual([201, 409, 409]);
  const { body } = await client.post(path, { url: `${url}/other` }).expect(201);
  expect(await code(client.patch(`${path}/${body.endpoint_id as string}`, { url }))).toEqual([
    409,
    'webhook_url_taken',
  ]);
});

test('a rotation starts another secret, and both sign during the overlap', async () => {
  const { test: client } = await newCompany();
  const created = await client.post(path, { url }).expect(201);
  const one = `${path}/${created.body.endpoint_id as string}`;
  const before = Date.now();
  const rotated = await client.post(`${one}/rotate-secret`, {}).expect(200);
  expect(rotated.body.secret).toMatch(secretPattern);
  expect(rotated.body.secret).not.toBe(created.body.secret);
  expect(rotated.body.secret_version).toBe(2);
  const hours = (Date.parse(rotated.body.previous_secret_expires_at as string) - before) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
  expect(await code(client.post(`${one}/rotate-secret`, { overlap_hours: 169 }))).toEqual([
    400,
    'invalid_request',
  ]);
});

test('a repeated rotation returns the same secret, so a lost response loses no secret', async () => {
  const { test: client } = await newCompany();
  const created = await client.post(path, { url }).expect(201);
  const one = `${path}/${created.body.endpoint_id as string}`;
  const rotate = async (body: object) =>
    (await client.post(`${one}/rotate-secret`, body).expect(200)).body as Record<string, unknown>;
  const rotations = await Promise.all([1, 2, 3, 4].map(() => rotate({})));
  expect(new Set(rotations.map(({ secret }) => secret)).size).toBe(1);
  expect(rotations.map(({ secret_version: version }) => version)).toEqual([2, 2, 2, 2]);
  const repeated = await rotate({ overlap_hours: 0 });
  const ended = {
    ...{ secret: rotations[0]!['secret'], secret_version: 2 },
    previous_secret_expires_at: null,
  };
  expect(repeated).toMatchObject(ended);
  expect(await rotate({})).toMatchObject(ended);
  await service.database.admin.query(
    `UPDATE webhook_endpoints SET secret_rotated_at = now() - interval '10 minutes' WHERE endpoint_id = $1`,
    [created.body.endpoint_id],
  );
  expect(await rotate({})).toMatchObject({ secret_version: 3 });
});

test('a rotation without an overlap ends the previous secret, also after a repeat', async () => {
  const { test: client } = await newCompany();
  const { body: created } = await client.post(path, { url }).expect(201);
  const one = `${path}/${created.endpoint_id as string}`;
  const first = (await client.post(`${one}/rotate-secret`, { overlap_hours: 0 }).expect(200)).body;
  expect(first).toMatchObject({ secret_version: 2, previous_secret_expires_at: null });
  for (const body of [{}, { overlap_hours: 24 }]) {
    const repeated = await client.post(`${one}/rotate-secret`, body).expect(200);
    expect(repeated.body).toMatchObject({ secret: first.secret, previous_secret_expires_at: null });
  }
});

test('a rotation that is repeated after a reset returns the same secret', async () => {
  const { test: client } = await newCompany();
  const { body: created } = await client.post(path, { url }).expect(201);
  const one = `${path}/${created.endpoint_id as string}`;
  const { body: rotated } = await client.post(`${one}/rotate-secret`, {}).expect(200);
  await client.post('/company/integration/sandbox/reset', {}).expect(200);
  const { body: repeated } = await client.post(`${one}/rotate-secret`, {}).expect(200);
  expect([repeated.secret, repeated.secret_version]).toEqual([rotated.secret, 2]);
});

test('a rotation needs no body', async () => {
  const { test: client } = await newCompany();
  const { body: created } = await client.post(path, { url }).expect(201);
  const rotated = await client.post(`${path}/${created.endpoint_id as string}/rotate-secret`).expect(200);
  expect(rotated.body.secret_version).toBe(2);
  const json = client.post(`${path}/${created.endpoint_id as string}/rotate-secret`);
  expect((await json.set('Content-Type', 'application/json').expect(200)).body.secret_version).toBe(2);
});

test('a change that fails changes nothing', async () => {
  const { test: client } = await newCompany();
  const { body: created } = await client.post(path, { url }).expect(201);
  const one = `${path}/${created.endpoint_id as string}`;
  const { admin } = service.database;
  await admin.query(`ALTER TABLE webhook_endpoints ADD CONSTRAINT refused CHECK (description <> 'refused')`);
  await client.patch(one, { url: `${url}/2`, types: [], description: 'refused' }).expect(500);
  await admin.query('ALTER TABLE webhook_endpoints DROP CONSTRAINT refused');
  expect((await client.get(one).expect(200)).body.url).toBe(url);
});

test('null and an empty string remove a description, and its absence keeps it', async () => {
  const { test: client } = await newCompany();
  for (const removed of [null, '']) {
    const { body } = await client.post(path, { url, description: 'Completions' }).expect(201);
    const one = `${path}/${body.endpoint_id as string}`;
    expect((await client.patch(one, { types: [] }).expect(200)).body.description).toBe('Completions');
    expect((await client.patch(one, { description: removed }).expect(200)).body.description).toBeNull();
    await client.delete(one).expect(204);
  }
});

test('an endpoint is disabled and enabled again, and keeps its position', async () => {
  const { test: client } = await newCompany();
  const { body } = await client.post(path, { url }).expect(201);
  const one = `${path}/${body.endpoint_id as string}`;
  const disabled = await client.post(`${one}/disable`).expect(200);
  expect(disabled.body).toMatchObject({ status: 'disabled', disabled_reason: 'requested' });
  const enabled = await client.post(`${one}/enable`).expect(200);
  expect(enabled.body).toMatchObject({
    status: 'unverified',
    disabled_reason: null,
    position: body.position,
  });
});

test.each([
  ['http://app.example.com/', 422],
  ['https://app.example.com:444/', 422],
  ['https://localhost/', 422],
  ['https://10.0.0.1/', 422],
  ['https://0x7f.1/', 422],
  ['https://169.254.169.254/latest/meta-data', 422],
  ['https://168.63.129.16/', 422],
  ['https://[::ffff:10.0.0.1]/', 422],
  ['https://[64:ff9b::a00:1]/', 422],
  ['https://user:password@app.example.com/', 400],
  ['https://app.example.com/#part', 400],
  ['ftp://app.example.com/', 400],
  ['app.example.com', 400],
])('the URL %s is rejected with %i', async (wrong, status) => {
  const { test: client } = await newCompany();
  expect((await client.post(path, { url: wrong })).status).toBe(status);
});

test('a reset moves the endpoints along, with their secrets, to the start of the new feed', async () => {
  const { test: client } = await newCompany();
  const { body } = await client.post(path, { url }).expect(201);
  await client.post('/company/integration/sandbox/reset', {}).expect(200);
  const moved = await client.get(`${path}/${body.endpoint_id as string}`).expect(200);
  expect(moved.body).toMatchObject({ url, secret_version: 1, position: 0, status: 'unverified' });
});
