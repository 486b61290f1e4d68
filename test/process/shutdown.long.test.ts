import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { type BuiltService, credentialHeaders, prepareBuiltService } from '../support/built-service';
import { RunningService } from '../support/program';
import { until } from '../support/until';

/** The shutdown of the built program with requests in progress. */
let built: BuiltService<'Acme'>;
let credentials: Record<string, string>;

beforeAll(async () => {
  built = await prepareBuiltService(
    { Acme: ['contributions:create'] },
    {
      settings: {
        // No statement times out before the test releases its locks.
        DATABASE_STATEMENT_TIMEOUT_MS: '40000',
        DATABASE_LOCK_TIMEOUT_MS: '40000',
        DATABASE_ANSWER_TIMEOUT_MS: '50000',
      },
    },
  );
  credentials = credentialHeaders(built.pairs.Acme);
});
afterAll(() => built.remove());

interface HttpResponse {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** Sends one request on a separate connection. */
async function send(
  service: RunningService,
  method: string,
  path: string,
  body?: object,
): Promise<HttpResponse> {
  const outgoing = request(`${service.baseUrl}${path}`, {
    method,
    agent: false,
    headers: { ...credentials, ...(body ? { 'Content-Type': 'application/json' } : {}) },
  });
  outgoing.setHeader('Connection', 'keep-alive');
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return {
    status: incoming.statusCode,
    headers: incoming.headers,
    body: JSON.parse(text) as Record<string, unknown>,
  };
}

const create = (service: RunningService, user: string): Promise<HttpResponse> =>
  send(service, 'PUT', '/company/integration/contributions/create', {
    project_id: built.projectId,
    amount: '5.00',
    user_hash: user,
  });

/** Blocks writes of contributions until it is released. */
async function holdContributions(): Promise<{
  isWaitedFor: () => Promise<boolean>;
  release: () => Promise<void>;
}> {
  const holder = await built.database.admin.connect();
  await holder.query('BEGIN; LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE');
  return {
    async isWaitedFor() {
      const { rows } = await built.database.admin.query(
        `SELECT FROM pg_locks WHERE relation = 'transactions'::regclass AND NOT granted`,
      );
      return rows.length > 0;
    },
    async release() {
      await holder.query('COMMIT');
      holder.release();
    },
  };
}

test('after SIGTERM readiness fails first, while requests are served and their connections are closed', async () => {
  const service = await RunningService.start({ ...built.settings, SHUTDOWN_DELAY_MS: '4000' });
  const before = await create(service, 'before');
  expect([before.status, before.headers.connection]).toEqual([201, 'keep-alive']);
  const signalledAt = performance.now();
  const exited = service.signal('SIGTERM');
  await until('readiness is gone', async () => (await send(service, 'GET', '/health/ready')).status === 503);
  const ready = await send(service, 'GET', '/health/ready');
  expect([ready.status, ready.body['code'], ready.headers.connection]).toEqual([
    503,
    'shutting_down',
    'close',
  ]);
  const live = await send(service, 'GET', '/health/live');
  expect([live.status, live.headers.connection]).toEqual([200, 'close']);
  const during = await create(service, 'during');
  expect([during.status, during.headers.connection]).toEqual([201, 'close']);
  expect(await exited).toBe(0);
  expect(performance.now() - signalledAt).toBeGreaterThanOrEqual(3_990);
});

test('after SIGTERM a create that is pipelined behind another one is not processed', async () => {
  const service = await RunningService.start({ ...built.settings, SHUTDOWN_DELAY_MS: '2000' });
  const exited = service.signal('SIGTERM');
  await until('the service drains', async () => (await send(service, 'GET', '/health/ready')).status === 503);
  const pipelined = (user: string): string => {
    const body = JSON.stringify({ project_id: built.projectId, amount: '5.00', user_hash: user });
    const own = Object.entries(credentials).map(([name, value]) => `${name}: ${value}\r\n`);
    return (
      `PUT /company/integration/contributions/create HTTP/1.1\r\nHost: service\r\n${own.join('')}` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    );
  };
  const socket = connect(Number(new URL(service.baseUrl).port), 'localhost');
  let text = '';
  socket.on('data', (data) => (text += data.toString('latin1')));
  socket.write(pipelined('draining-1') + pipelined('draining-2'));
  await once(socket, 'close');
  expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 201']);
  expect(await exited).toBe(0);
  const { rows } = await built.database.admin.query("SELECT FROM users WHERE user_hash LIKE 'draining-%'");
  expect(rows).toHaveLength(1);
});

test('a create that is being written at SIGTERM is committed and gets its response, and the process exits with 0', async () => {
  const service = await RunningService.start(built.settings);
  const held = await holdContributions();
  const response = create(service, 'under-way');
  await until('it waits in the database', held.isWaitedFor);
  const exited = service.signal('SIGTERM');
  await until(
    'no more connections are taken',
    async () =>
      !(await fetch(`${service.baseUrl}/health/live`).then(
        () => true,
        () => false,
      )),
  );
  await held.release();
  const { status, headers } = await response;
  expect([status, headers.connection]).toEqual([201, 'close']);
  expect(await exited).toBe(0);
  expect(service.output).toContain(`"request_id":"${headers['x-request-id'] as string}"`);
});

test('an endless request is terminated after SHUTDOWN_TIMEOUT_MS, and the process logs it and exits with 1', async () => {
  const service = await RunningService.start({ ...built.settings, SHUTDOWN_TIMEOUT_MS: '500' });
  const held = await holdContributions();
  try {
    const response = create(service, 'cut-off').then(
      () => 'response',
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    );
    await until('it waits in the database', held.isWaitedFor);
    const signalledAt = performance.now();
    expect(await service.signal('SIGTERM')).toBe(1);
    // The shutdown timeout, 2 s for the database, and a margin for a busy machine.
    expect(performance.now() - signalledAt).toBeLessThan(15_000);
    expect(await response).toBe('ECONNRESET');
    expect(service.output).toContain('"requests":1');
    expect(service.output).toContain('shutdown timed out');
  } finally {
    await held.release();
  }
});

const tunnel = 'CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere\r\n\r\n';

/** A connection that is not read and stays half open when the service closes it. */
async function open(service: RunningService): Promise<Socket> {
  const { port, hostname } = new URL(service.baseUrl);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

test('clients that send CONNECT and disconnect do not end the service', async () => {
  const service = await RunningService.start(built.settings);
  for (let count = 0; count < 20; count += 1) {
    const socket = await open(service);
    socket.write(tunnel);
    await nextTurn();
    socket.resetAndDestroy();
  }
  expect((await send(service, 'GET', '/health/live')).status).toBe(200);
  expect(await service.signal('SIGTERM')).toBe(0);
});

test('a client that sends CONNECT and stays does not delay the exit', async () => {
  const service = await RunningService.start({ ...built.settings, SHUTDOWN_TIMEOUT_MS: '20000' });
  const socket = await open(service);
  socket.write(tunnel);
  expect((await send(service, 'GET', '/health/live')).status).toBe(200);
  const signalledAt = performance.now();
  expect(await service.signal('SIGTERM')).toBe(0);
  expect(performance.now() - signalledAt).toBeLessThan(15_000);
  socket.destroy();
});

test('pipelined requests are dropped when their connection breaks', async () => {
  const service = await RunningService.start({ ...built.settings, SHUTDOWN_TIMEOUT_MS: '20000' });
  const held = await holdContributions();
  const body = JSON.stringify({ project_id: built.projectId, amount: '5.00', user_hash: 'first-of-three' });
  const headers = Object.entries({ ...credentials, 'Content-Type': 'application/json' })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const socket = await open(service);
  // In one piece: the reset drops what the service has not read yet.
  socket.write(
    [
      `PUT /company/integration/contributions/create HTTP/1.1\r\nHost: service\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`,
      'GET /health/live HTTP/1.1\r\nHost: service\r\n\r\n'.repeat(2),
    ].join(''),
  );
  await until('the first waits in the database', held.isWaitedFor);
  socket.resetAndDestroy();
  const lines = () => service.output.split('\n').filter((line) => line.includes('"answered":false'));
  // Otherwise, the response may be written before the service has read the reset.
  await until('each has its line in the log', () => lines().length === 3);
  await held.release();

  const kept = new Agent({ keepAlive: true });
  const outgoing = request(`${service.baseUrl}/health/live`, { agent: kept }).end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  incoming.resume();
  await once(incoming, 'end');
  const signalledAt = performance.now();
  expect(await service.signal('SIGTERM')).toBe(0);
  expect(performance.now() - signalledAt).toBeLessThan(15_000);
  kept.destroy();
});
