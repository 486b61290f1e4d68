import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { addProject } from '../support/catalogue';
import { createClient } from '../support/client';
import { lockWaits } from '../support/lock-waits';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { longTest } from '../support/full-run';

const base = '/company/integration';
const create = `${base}/contributions/create`;

let service: TestService;
let bank: TestCompany;
let flooder: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService({
    settings: { RATE_LIMIT_PER_SECOND: '100', RATE_LIMIT_BURST_SECONDS: '10' },
  });
  bank = await service.addCompany();
  flooder = await service.addCompany();
  await service.companies.setRateLimits('test', flooder.name, { requestsPerSecond: 5 });
  projectId = await addProject(service.database.admin);
});
afterAll(() => service.stop());

const credentialsOf = ({ test: { apiKey, apiSecret } }: TestCompany): string =>
  `API-Key: ${apiKey}\r\nAPI-Secret: ${apiSecret}\r\n`;

function creation(credentials: string, userHash: string): string {
  const body = JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: userHash });
  return (
    `PUT ${create} HTTP/1.1\r\nHost: service\r\n${credentials}` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

function open(): Socket {
  const socket = connect(service.port, '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

/** Keeps this number of requests in progress on each connection until it is stopped. */
function flood(
  connections: number,
  pipelined: number,
  request: string,
): { stop: () => void; statuses: Set<string> } {
  const statuses = new Set<string>();
  const sockets = Array.from({ length: connections }, () => {
    const socket = open();
    socket.on('data', (data) => {
      const statusLines = data.toString('latin1').match(/HTTP\/1\.1 \d{3}/g) ?? [];
      for (const line of statusLines) statuses.add(line.slice(-3));
      socket.write(request.repeat(statusLines.length));
    });
    socket.write(request.repeat(pipelined));
    return socket;
  });
  return {
    statuses,
    stop: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A pending contribution of the bank's own company. */
async function pending(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 50) {
    const responses = await Promise.all(
      Array.from({ length: Math.min(50, count - made) }, (_, place) =>
        bank.production
          .put(create, { project_id: projectId, amount: '1.00', user_hash: `pending-${made + place}` })
          .expect(201),
      ),
    );
    ids.push(...responses.map(({ body }) => (body as { transaction_id: string }).transaction_id));
  }
  return ids;
}

const complete = (id: string) => bank.production.put(`${base}/contributions/${id}`, { status: 'completed' });

longTest('400 creates at once are all recorded', async () => {
  const company = await service.addCompany();
  const responses = await Promise.all(
    Array.from({ length: 400 }, (_, place) =>
      company.test
        .put(create, { project_id: projectId, amount: '1.00', user_hash: `burst-${place}` })
        .then((a) => a.status),
    ),
  );
  expect(new Set(responses)).toEqual(new Set([201]));
  const { rows } = await service.database.admin.query("SELECT FROM users WHERE user_hash LIKE 'burst-%'");
  expect(rows).toHaveLength(400);
});

longTest('250 completions at once all succeed', async () => {
  const ids = await pending(250);
  const statuses = await Promise.all(ids.map((id) => complete(id).then((response) => response.status)));
  expect(new Set(statuses)).toEqual(new Set([200]));
});

describe.each([
  ['without credentials', () => creation('', 'nobody'), '401'],
  ['of a rate-limited partner', () => creation(credentialsOf(flooder), 'flooder'), '429'],
])('a flood %s on 40 connections with 16 pipelined requests each', (_name, request, status) => {
  longTest('does not delay a bank that completes or a partner that creates', async () => {
    const ids = await pending(20);
    const flooding = flood(40, 16, request());
    try {
      await until('the flood is rejected', () => flooding.statuses.has(status));
      for (const id of ids) {
        await complete(id).expect(200);
        await bank.production
          .put(create, { project_id: projectId, amount: '1.00', user_hash: id })
          .expect(201);
      }
    } finally {
      flooding.stop();
    }
  });
});

test('bodies that never arrive occupy no slot: other requests are served at once', async () => {
  const small = await startService({ database: service.database, settings: { DATABASE_POOL_SIZE: '1' } });
  const client = createClient(small.server, bank.test);
  await client.get(`${base}/get/projects`).expect(200);
  const request = creation(credentialsOf(bank), 'slow');
  const sockets = Array.from({ length: 50 }, () => {
    const socket = connect(small.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(request.slice(0, -10));
    return socket;
  });
  try {
    await delay(200);
    await client.put(create, { project_id: projectId, amount: '1.00', user_hash: 'quick' }).expect(201);
    // The service still waits for their bodies.
    expect(sockets.filter((socket) => socket.closed)).toEqual([]);
  } finally {
    for (const socket of sockets) socket.destroy();
    await small.stop();
  }
});

test('a connection with more than 64 requests in progress is closed, and other connections stay open', async () => {
  const socket = open();
  const closed = once(socket, 'close');
  socket.resume();
  socket.write(`GET ${base}/get/projects HTTP/1.1\r\nHost: service\r\n${credentialsOf(bank)}\r\n`.repeat(65));
  await closed;
  await bank.test.get(`${base}/get/projects`).expect(200);
});

test('64 pipelined requests get their responses in order', async () => {
  const socket = open();
  let text = '';
  socket.on('data', (data) => (text += data.toString('latin1')));
  const ids = Array.from({ length: 64 }, (_, place) => `pipelined-${place}`);
  socket.write(
    ids
      .map(
        (id) =>
          `GET ${base}/get/projects HTTP/1.1\r\nHost: service\r\nX-Request-Id: ${id}\r\n${credentialsOf(bank)}\r\n`,
      )
      .join(''),
  );
  await until('all have their responses', () => text.split('HTTP/1.1 ').length === 65);
  expect([...text.matchAll(/^X-Request-Id: (.+)\r$/gm)].map(([, id]) => id)).toEqual(ids);
  socket.destroy();
});

test('requests leave the queue when their client disconnects', async () => {
  const small = await startService({
    database: service.database,
    settings: { DATABASE_POOL_SIZE: '1', DATABASE_QUEUE_LENGTH: '1', DATABASE_LOCK_TIMEOUT_MS: '1500' },
  });
  await createClient(small.server, bank.test).get(`${base}/get/projects`).expect(200);
  const { registry } = small.container.metrics;
  const waiting = async (): Promise<string | undefined> =>
    /class="creates"} (\d+)/.exec(
      await registry.getSingleMetricAsString('contribution_admission_waiting_requests'),
    )?.[1];
  const holder = await service.database.admin.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE');
    const socket = connect(small.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(creation(credentialsOf(bank), 'gone').repeat(20));
    await until('they wait', async () => (await waiting()) === '19');
    socket.destroy();
    await until('they are gone', async () => (await waiting()) === '0');
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
    await small.stop();
  }
});

test('a client that disconnects keeps its slot until its query has ended', async () => {
  const small = await startService({
    database: service.database,
    settings: { DATABASE_LOCK_TIMEOUT_MS: '1500' },
  });
  await createClient(small.server, bank.test).get(`${base}/get/projects`).expect(200);
  const { registry } = small.container.metrics;
  const inProgress = async (): Promise<string | undefined> =>
    /class="others"} (\d+)/.exec(
      await registry.getSingleMetricAsString('contribution_admission_requests_in_progress'),
    )?.[1];
  const holder = await service.database.admin.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE projects IN ACCESS EXCLUSIVE MODE');
    const socket = connect(small.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET ${base}/projects-stories HTTP/1.1\r\nHost: service\r\n${credentialsOf(bank)}\r\n`);
    const lockedOut = () => lockWaits(service.database.admin);
    await until('its query waits', async () =>
      (await lockedOut()).some((sql) => sql.includes('FROM projects p')),
    );
    socket.destroy();
    await delay(200);
    expect(await inProgress()).toBe('1');
    await holder.query('ROLLBACK');
    await until('it is over', async () => (await inProgress()) === '0');
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
    await small.stop();
  }
});

test.each([
  [
    'a rejected chunked body',
    () => `PUT ${create} HTTP/1.1\r\nHost: service\r\nTransfer-Encoding: chunked\r\n\r\n`,
    /^HTTP\/1.1 401 [\s\S]*Connection: close/,
  ],
  [
    'more than 200 headers',
    () => `GET ${base}/get/projects HTTP/1.1\r\nHost: service\r\n${'accept:\r\n'.repeat(200)}\r\n`,
    /^HTTP\/1.1 431 [\s\S]*Connection: close/,
  ],
  [
    'a body in a thousand pieces',
    () =>
      `PUT ${create} HTTP/1.1\r\nHost: service\r\n${credentialsOf(bank)}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(1_000)}`,
    /^HTTP\/1.1 400 [\s\S]*Connection: close/,
  ],
])('%s ends the connection', async (_what, request, expected) => {
  const socket = open();
  let text = '';
  socket.on('data', (data) => (text += data.toString('latin1')));
  socket.write(request());
  await once(socket, 'close');
  expect(text).toMatch(expected);
});

test('requests with too many headers skip admission and take no rate limit token', async () => {
  const company = await service.addCompany();
  // A burst of ten.
  await service.companies.setRateLimits('test', company.name, { requestsPerSecond: 1 });
  await company.test.get(`${base}/get/projects`).expect(200);
  const request = `GET ${base}/get/projects HTTP/1.1\r\nHost: service\r\n${credentialsOf(company)}${'accept:\r\n'.repeat(200)}\r\n`;
  const responses = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = open();
      let text = '';
      socket.on('data', (data) => (text += data.toString('latin1')));
      socket.write(request);
      await once(socket, 'close');
      return text.slice(0, 'HTTP/1.1 431'.length);
    }),
  );
  expect(new Set(responses)).toEqual(new Set(['HTTP/1.1 431']));
  await company.test.get(`${base}/get/projects`).expect(200);
});

longTest('a request that gets 503 overloaded does not count against the rate limit', async () => {
  const small = await startService({
    database: service.database,
    settings: {
      DATABASE_POOL_SIZE: '1',
      DATABASE_QUEUE_LENGTH: '1',
      // Longer than the maximum wait of a read.
      DATABASE_LOCK_TIMEOUT_MS: '1500',
      RATE_LIMIT_PER_SECOND: '1',
      RATE_LIMIT_BURST_SECONDS: '5',
    },
  });
  const client = createClient(small.server, bank.test);
  await client.get(`${base}/get/projects`).expect(200);
  const holder = await service.database.admin.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE projects IN ACCESS EXCLUSIVE MODE');
    const responses = await Promise.all(
      Array.from({ length: 4 }, () =>
        client.get(`${base}/get/projects`).then(({ body }) => body as { code: string }),
      ),
    );
    expect(responses.map(({ code }) => code).sort()).toEqual([
      'database_timeout',
      'overloaded',
      'overloaded',
      'overloaded',
    ]);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
  try {
    const response = await client.get(`${base}/get/projects`).expect(200);
    expect(Number(/r=(\d+)/.exec(response.get('RateLimit') ?? '')?.[1])).toBeGreaterThanOrEqual(2);
  } finally {
    await small.stop();
  }
});
