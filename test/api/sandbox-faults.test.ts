import http from 'node:http';
import { connect } from 'node:net';

import { faultKinds } from '../../src/http/faults/fault-kinds';
import { createFaultsStore } from '../../src/features/sandbox/faults.store';
import { OutdatedKeyPair } from '../../src/shared/errors';
import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { isFullRun } from '../support/full-run';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { verifyDatabase } from '../suites/faults/verify';

/** Faults that a company arms for its own test requests, or asks for with a header. */
const base = '/company/integration';
const faults = `${base}/sandbox/faults`;
const create = `${base}/contributions/create`;

let service: TestService;
let projectId: number;

beforeAll(async () => {
  service = await startService();
  projectId = await addProject(service.database.admin);
});
afterAll(async () => {
  if (isFullRun) expect(await verifyDatabase(service.database.adminUrl)).toEqual([]);
  await service.stop();
});

interface Received {
  /** Undefined if the connection was closed before a response arrived. */
  status: number | undefined;
  headers: http.IncomingHttpHeaders;
  /** As much of the body as arrived. */
  body: string;
  isComplete: boolean;
}

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: object;
  at?: TestService;
}

/** A request of a client that reports a lost response instead of failing. */
async function send(client: Client, { method = 'PUT', path = create, headers, body, at }: Sent = {}) {
  const received: Received = { status: undefined, headers: {}, body: '', isComplete: false };
  const request = http.request({
    port: (at ?? service).port,
    method,
    path,
    agent: false,
    headers: {
      'API-Key': client.apiKey,
      'API-Secret': client.apiSecret,
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
  });
  request.on('error', () => undefined);
  request.on('response', (response) => {
    received.status = response.statusCode;
    received.headers = response.headers;
    response.setEncoding('utf8');
    response.on('error', () => undefined);
    response.on('data', (text: string) => (received.body += text));
    response.on('end', () => (received.isComplete = response.complete));
  });
  request.end(body && JSON.stringify(body));
  await new Promise((resolve) => request.on('close', resolve));
  return received;
}

let users = 0;
const contribution = () => ({ project_id: projectId, amount: '25.00', user_hash: `user-${(users += 1)}` });

const arm = (client: Client, kind: string, more: object = {}) =>
  client.post(faults, { operation: 'createContribution', kind, ...more }).expect(200);

const listed = async (client: Client) =>
  ((await client.get(faults).expect(200)).body as { data: Record<string, unknown>[] }).data;

/** How many contributions of this user are recorded. */
async function recorded(userHash: string): Promise<number> {
  const { rows } = await service.database.admin.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM transactions JOIN users USING (environment_id, user_id) WHERE user_hash = $1',
    [userHash],
  );
  return rows[0]!.count;
}

async function metric(name: string): Promise<number> {
  const text = await service.container.metrics.registry.metrics();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1));
}

const codeOf = ({ body }: Received): string => (JSON.parse(body) as { code: string }).code;

/** What a client sees, and whether the contribution is recorded. */
const effects: Record<(typeof faultKinds)[number], { sees: string; seesWithKey?: string; records: number }> =
  {
    answer_lost_after_commit: { sees: 'nothing', records: 1 },
    lost_before: { sees: 'nothing', records: 0 },
    cut_mid_body: { sees: 'a part of 201', records: 1 },
    delay: { sees: '201', records: 1 },
    '503_before': { sees: '503 overloaded, retry after 1', records: 0 },
    '503_after_commit': {
      sees: '500 outcome_unknown',
      seesWithKey: '503 database_unavailable, retry after 1',
      records: 1,
    },
    429: { sees: '429 rate_limited, retry after 1', records: 0 },
    408: { sees: '408 request_timeout', records: 0 },
    proxy_502_html: { sees: '502 of a proxy', records: 1 },
    outcome_unknown: {
      sees: '500 outcome_unknown',
      seesWithKey: '503 database_unavailable, retry after 1',
      records: 1,
    },
  };

function described(received: Received): string {
  const { status, headers, body, isComplete } = received;
  if (status === undefined) return 'nothing';
  if (!isComplete) {
    expect(body.length).toBeLessThan(Number(headers['content-length']));
    return body === '' ? 'headers only' : `a part of ${status}`;
  }
  if (headers['content-type'] === 'text/html') {
    expect(body).toContain('502 Bad Gateway');
    expect(headers['x-request-id']).toBeUndefined();
    return `${status} of a proxy`;
  }
  if (status < 400) return String(status);
  const retryAfter = headers['retry-after'];
  return `${status} ${codeOf(received)}${retryAfter === undefined ? '' : `, retry after ${retryAfter}`}`;
}

describe.each(Object.entries(effects))('the fault %s', (kind, { sees, seesWithKey = sees, records }) => {
  test.each([
    [
      'armed',
      async (client: Client) => {
        await arm(client, kind, { delay_ms: 20 });
        return {};
      },
    ],
    ['in a header', () => Promise.resolve({ 'Sandbox-Fault': kind })],
  ])('%s hits one request, and no other', async (_how, prepare) => {
    const { test: client } = await service.addCompany();
    const body = contribution();
    const headers = await prepare(client);
    expect(described(await send(client, { body, headers }))).toBe(sees);
    expect(await recorded(body.user_hash)).toBe(records);
    const other = contribution();
    expect(described(await send(client, { body: other }))).toBe('201');
    expect(await recorded(other.user_hash)).toBe(1);
    expect(await listed(client)).toEqual([]);
  });

  test('with an Idempotency-Key records once, even if the client retries many times', async () => {
    const { test: client } = await service.addCompany();
    const body = contribution();
    const headers = { 'Idempotency-Key': `key of ${kind}` };
    await arm(client, kind, { times: 2, delay_ms: 1 });
    for (let attempt = 1; attempt <= 2; attempt += 1)
      expect(described(await send(client, { body, headers }))).toBe(seesWithKey);
    const last = await send(client, { body, headers });
    expect(last.status).toBe(201);
    expect(last.headers['idempotent-replayed']).toBe(records === 1 ? 'true' : undefined);
    expect(await recorded(body.user_hash)).toBe(1);
  });
});

test('a 503 after a completion asks for a retry, because a repeat is safe', async () => {
  const { test: client } = await service.addCompany();
  const { body } = await client.put(create, contribution()).expect(201);
  const path = `${base}/contributions/${(body as { transaction_id: string }).transaction_id}`;
  const headers = { 'Sandbox-Fault': '503_after_commit' };
  const received = await send(client, { path, headers, body: { status: 'completed' } });
  expect(described(received)).toBe('503 database_unavailable, retry after 1');
  const repeated = await client.put(path, { status: 'completed' }).expect(200);
  expect(repeated.get('Idempotent-Replayed')).toBe('true');
});

test('a delayed response waits as long as the client asked for', async () => {
  const { test: client } = await service.addCompany();
  await arm(client, 'delay', { delay_ms: 400 });
  const startedAt = performance.now();
  await send(client, { body: contribution() });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(395);
});

test('a partner that delays many responses leaves the delays of another alone', async () => {
  const [many, one] = [await service.addCompany(), await service.addCompany()];
  await arm(many.test, 'delay', { operation: 'getProjectsAndStories', times: 100, delay_ms: 30_000 });
  const before = await metric('sandbox_faults_total{kind="delay"}');
  const agent = new http.Agent({ maxSockets: 200 });
  const headers = { 'API-Key': many.test.apiKey, 'API-Secret': many.test.apiSecret };
  const path = `${base}/projects-stories`;
  for (let count = 0; count < 100; count += 1)
    http.get({ port: service.port, path, headers, agent }).on('error', () => undefined);
  await until(
    'all are delayed',
    async () => (await metric('sandbox_faults_total{kind="delay"}')) === before + 100,
  );
  await arm(one.test, 'delay', { delay_ms: 400 });
  const startedAt = performance.now();
  await send(one.test, { body: contribution() });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(395);
  agent.destroy();
});

test('a process that shuts down sends its delayed responses', async () => {
  const leaving = await startService({ database: service.database });
  try {
    const { test: client } = await leaving.addCompany('Company of a process that shuts down');
    await arm(client, 'delay', { delay_ms: 30_000 });
    const body = contribution();
    const response = send(client, { body, at: leaving });
    await until('the contribution is recorded', async () => (await recorded(body.user_hash)) === 1);
    leaving.container.health.beginShutdown();
    expect(described(await response)).toBe('201');
  } finally {
    await leaving.stop();
  }
});

test('a fault also hits reads, completions and errors', async () => {
  const { test: client } = await service.addCompany();
  const { body } = await client.put(create, contribution()).expect(201);
  const path = `${base}/contributions/${(body as { transaction_id: string }).transaction_id}`;
  const lost = { 'Sandbox-Fault': 'answer_lost_after_commit' };
  const complete = { path, headers: lost, body: { status: 'completed' } };
  expect(described(await send(client, complete))).toBe('nothing');
  expect((await client.get(path).expect(200)).body).toMatchObject({ status: 'completed' });
  expect(described(await send(client, { method: 'GET', path, headers: lost }))).toBe('nothing');
  const mismatch = { path, headers: lost, body: { status: 'completed', amount: '1.00' } };
  expect(described(await send(client, mismatch))).toBe('nothing');
  const list = { method: 'GET', path: `${base}/get/projects`, headers: { 'Sandbox-Fault': 'cut_mid_body' } };
  expect(described(await send(client, list))).toBe('a part of 200');
  const head = { ...list, method: 'HEAD' };
  expect((await send(client, head)).isComplete).toBe(false);
});

describe('arming', () => {
  let company: TestCompany;
  beforeEach(async () => {
    company = await service.addCompany();
  });

  test('lists the remaining faults in the order in which they take effect', async () => {
    const { test: client } = company;
    await arm(client, '503_before', { times: 2 });
    await arm(client, 'delay', { delay_ms: 1 });
    await client.post(faults, { operation: 'listProjects', kind: '429', times: 100 }).expect(200);
    expect(described(await send(client, { body: contribution() }))).toContain('overloaded');
    expect(await listed(client)).toMatchObject([
      { operation: 'createContribution', kind: '503_before', times: 2, times_left: 1, delay_ms: null },
      { operation: 'createContribution', kind: 'delay', times: 1, times_left: 1, delay_ms: 1 },
      { operation: 'listProjects', kind: '429', times: 100, times_left: 100 },
    ]);
    expect(described(await send(client, { body: contribution() }))).toContain('overloaded');
    expect(described(await send(client, { body: contribution() }))).toBe('201');
    expect(await listed(client)).toHaveLength(1);
    await client.delete(faults).expect(204);
    expect(await listed(client)).toEqual([]);
    await client.get(`${base}/get/projects`).expect(200);
  });

  test('again replaces the fault, so that a retry is safe', async () => {
    await arm(company.test, '503_before', { times: 5 });
    await arm(company.test, '503_before', { times: 1 });
    expect(await listed(company.test)).toMatchObject([{ times: 1, times_left: 1 }]);
  });

  test('ends after an hour', async () => {
    await arm(company.test, '503_before', { times: 100 });
    await service.database.admin.query(
      `UPDATE sandbox_faults SET expires_at = clock_timestamp() WHERE times_left = 100`,
    );
    expect(await listed(company.test)).toEqual([]);
    expect(described(await send(company.test, { body: contribution() }))).toBe('201');
  });

  test('hits exactly as many of 100 concurrent requests as it says, in two processes', async () => {
    const second = await startService({ database: service.database });
    try {
      await send(company.test, { method: 'GET', path: `${base}/get/projects`, at: second });
      await arm(company.test, '503_before', { times: 37 });
      await until('the other process knows', async () => {
        const received = await send(company.test, { body: contribution(), at: second });
        return received.status === 503;
      });
      const left = (await listed(company.test))[0]!['times_left'] as number;
      expect(left).toBe(36);
      const all = await Promise.all(
        Array.from({ length: 100 }, (_each, number) =>
          send(company.test, { body: contribution(), at: number % 2 === 0 ? service : second }),
        ),
      );
      expect(all.filter(({ status }) => status === 503)).toHaveLength(36);
      expect(all.filter(({ status }) => status === 201)).toHaveLength(64);
      expect(await listed(company.test)).toEqual([]);
    } finally {
      await second.stop();
    }
  });

  test('survives a restart', async () => {
    await arm(company.test, '503_before');
    const restarted = await startService({ database: service.database });
    try {
      const received = await send(company.test, { body: contribution(), at: restarted });
      expect(described(received)).toContain('overloaded');
    } finally {
      await restarted.stop();
    }
  });

  test('never crosses companies or environments', async () => {
    const other = await service.addCompany();
    await arm(company.test, 'lost_before', { times: 100 });
    await other.test.put(create, contribution()).expect(201);
    await company.production.put(create, contribution()).expect(201);
    expect(await listed(other.test)).toEqual([]);
    await other.test.delete(faults).expect(204);
    expect(await listed(company.test)).toMatchObject([{ times_left: 100 }]);
    expect(described(await send(company.test, { body: contribution() }))).toBe('nothing');
  });

  test('hits another key pair of the environment too', async () => {
    const restricted = await service.addPair(company, 'test', ['contributions:create']);
    await restricted.put(create, contribution()).expect(201);
    await arm(company.test, '503_before');
    await until('the other pair is hit', async () => {
      const received = await send(restricted, { body: contribution() });
      return received.status === 503;
    });
  });

  test('does not use up a fault for a request that is invalid', async () => {
    await arm(company.test, '503_before');
    await company.test.put(create, {}).expect(400);
    expect(await listed(company.test)).toMatchObject([{ times_left: 1 }]);
  });

  test.each([
    [{ operation: 'armSandboxFault' }, '/operation'],
    [{ operation: 'settleSandboxContribution' }, '/operation'],
    [{ operation: 'nothing' }, '/operation'],
    [{ kind: 'nothing' }, '/kind'],
    [{ operation: 'listProjects', kind: 'outcome_unknown' }, '/kind'],
    [{ times: 0 }, '/times'],
    [{ times: 101 }, '/times'],
    [{ delay_ms: 30_001 }, '/delay_ms'],
  ])('rejects %j', async (members, pointer) => {
    const body = { operation: 'createContribution', kind: 'delay', ...members };
    const response = await company.test.post(faults, body).expect(400);
    expect(response.body).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] });
  });

  test('requires a test pair with the scope sandbox', async () => {
    for (const response of [
      await company.production.post(faults, { kind: 'nonsense' }).expect(403),
      await company.production.get(faults).expect(403),
      await company.production.delete(faults).expect(403),
    ])
      expect(response.body).toMatchObject({ code: 'sandbox_only' });
    const client = await service.addPair(company, 'test', ['contributions:create']);
    expect((await client.get(faults).expect(403)).body).toMatchObject({ code: 'scope_missing' });
  });

  test('is impossible in production, whoever calls the statement', async () => {
    const { rows } = await service.database.admin.query<{ id: number }>(
      `SELECT environment_id AS id FROM environments WHERE kind = 'production' LIMIT 1`,
    );
    const store = createFaultsStore(service.container.database);
    const fault = { operation: 'createContribution', kind: 'delay', times: 1, delayMs: 0 } as const;
    await expect(store.arm(rows[0]!.id, fault)).rejects.toThrow(OutdatedKeyPair);
    expect(await store.list(rows[0]!.id)).toEqual([]);
  });
});

describe('the header', () => {
  test('gets 400 with a production pair, before anything else is checked', async () => {
    const company = await service.addCompany();
    const reader = await service.addPair(company, 'production', ['projects:read']);
    for (const kind of [...faultKinds, 'nothing']) {
      const test = reader.raw('put', create).set('Sandbox-Fault', kind).send({});
      expect((await test.expect(400)).body).toMatchObject({
        code: 'invalid_request',
        errors: [{ header: 'Sandbox-Fault' }],
      });
    }
  });

  test('gets 400 if it names no fault of the operation', async () => {
    const { test: client } = await service.addCompany();
    const ask = (path: string, value: string | string[]) =>
      client.raw('get', path).set({ 'Sandbox-Fault': value }).expect(400);
    await ask(`${base}/get/projects`, 'nothing');
    await ask(`${base}/get/projects`, '');
    await ask(`${base}/get/projects`, ['delay', 'delay']);
    await ask(`${base}/get/projects`, 'outcome_unknown');
  });

  test('requires the scope sandbox', async () => {
    const client = await service.addPair(await service.addCompany(), 'test', ['projects:read']);
    const test = client.raw('get', `${base}/get/projects`).set('Sandbox-Fault', 'lost_before');
    expect((await test.expect(403)).body).toMatchObject({ code: 'scope_missing' });
  });

  test('is ignored by the sandbox itself', async () => {
    const { test: client, production } = await service.addCompany();
    await client.raw('get', faults).set('Sandbox-Fault', 'lost_before').expect(200);
    const response = await production.raw('get', faults).set('Sandbox-Fault', 'lost_before').expect(403);
    expect(response.body).toMatchObject({ code: 'sandbox_only' });
  });

  test('leaves armed faults to other requests', async () => {
    const { test: client } = await service.addCompany();
    await arm(client, '503_before');
    const headers = { 'Sandbox-Fault': '429' };
    expect(described(await send(client, { body: contribution(), headers }))).toContain('rate_limited');
    expect(await listed(client)).toMatchObject([{ kind: '503_before', times_left: 1 }]);
  });
});

test('responses that are cut behind a delayed one do not block other requests', async () => {
  const { test: client } = await service.addCompany();
  await arm(client, 'delay', { operation: 'listContributions', delay_ms: 30_000 });
  const hit = async (kind: string): Promise<number> => metric(`sandbox_faults_total{kind="${kind}"}`);
  const before = { delay: await hit('delay'), cut: await hit('cut_mid_body') };
  const list = (...headers: string[]): string =>
    [
      `GET ${base}/contributions HTTP/1.1`,
      'Host: service',
      `API-Key: ${client.apiKey!}`,
      `API-Secret: ${client.apiSecret!}`,
      ...headers,
      '\r\n',
    ].join('\r\n');
  const socket = connect(service.port, '127.0.0.1');
  socket.write(list());
  await until('the first response is delayed', async () => (await hit('delay')) === before.delay + 1);
  // One company may have three lists in progress.
  for (const cuts of [1, 2, 3]) {
    socket.write(list('Sandbox-Fault: cut_mid_body'));
    await until('one more response is cut', async () => (await hit('cut_mid_body')) === before.cut + cuts);
  }
  await client.get(`${base}/contributions`).expect(200);
  socket.destroy();
});

describe('an operator', () => {
  test('finds the fault in the log, and no error in the metrics', async () => {
    const { test: client } = await service.addCompany();
    const before = await metric('contribution_http_errors_total{error_code="outcome_unknown"}');
    const faultsBefore = await metric('sandbox_faults_total{kind="outcome_unknown"}');
    const headers = { 'Sandbox-Fault': 'outcome_unknown', 'X-Request-Id': 'a-faulty-request' };
    await send(client, { body: contribution(), headers });
    expect(await metric('contribution_http_errors_total{error_code="outcome_unknown"}')).toBe(before);
    expect(await metric('sandbox_faults_total{kind="outcome_unknown"}')).toBe(faultsBefore + 1);
    await until('the line is written', () => {
      service.container.flushLogs();
      return Promise.resolve(service.logLines.some((line) => line.includes('a-faulty-request')));
    });
    const line = service.logLines.find((each) => each.includes('a-faulty-request'))!;
    expect(JSON.parse(line)).toMatchObject({ level: 30, sandbox_fault: 'outcome_unknown', status: 500 });
  });
});
