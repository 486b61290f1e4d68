import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { addProject } from '../support/catalogue';
import { createClient } from '../support/client';
import { startService, type TestCompany, type TestService } from '../support/service';
import { longTest } from '../support/full-run';
import { until } from '../support/until';

// A server must not process what follows a response with `Connection: close` (RFC 9112, 9.6).

const create = '/company/integration/contributions/create';

let service: TestService;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
  await company.test.get('/company/integration/get/projects').expect(200);
});
afterAll(() => service.stop());

const credentials = () => `API-Key: ${company.test.apiKey!}\r\nAPI-Secret: ${company.test.apiSecret!}\r\n`;

const head = (line: string, more: string): string =>
  `${line} HTTP/1.1\r\nHost: service\r\nContent-Type: application/json\r\n${more}\r\n`;

function creation(userHash: string, more = ''): string {
  const body = JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: userHash });
  return head(`PUT ${create}`, `${credentials()}Content-Length: ${body.length}\r\n${more}`) + body;
}

/** Sends a text in one write and reads until the service closes the connection. */
async function exchange(text: string, port = service.port): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (data) => (received += data.toString('latin1')));
  socket.write(text);
  await once(socket, 'close');
  return received;
}

const large = (bytes: number, more: string): string =>
  head(`PUT ${create}`, `${more}Content-Length: ${bytes}\r\n`) + ' '.repeat(bytes);

const chunked = (more: string, chunks: string): string =>
  head(`PUT ${create}`, `${more}Transfer-Encoding: chunked\r\n`) + `${chunks}0\r\n\r\n`;

longTest.each([
  ['too many headers', 431, () => head('GET /nothing', credentials() + 'A: b\r\n'.repeat(250))],
  ['a Content-Length over the limit', 413, () => large(40_000, credentials())],
  ['a chunked body over the limit', 413, () => chunked(credentials(), `9c40\r\n${' '.repeat(40_000)}\r\n`)],
  ['a body in a thousand pieces', 400, () => chunked(credentials(), '1\r\nx\r\n'.repeat(1_000))],
])(
  'a create behind %s, whose response closes the connection, is not processed',
  async (what, status, first) => {
    const userHash = `behind-${what.replaceAll(' ', '-')}`;
    const received = await exchange(first() + creation(userHash));
    expect(received.match(/HTTP\/1\.1 \d{3}/g)).toEqual([`HTTP/1.1 ${status}`]);
    expect(received).toContain('Connection: close');
    // A create that was started is committed within this time.
    await delay(200);
    const { rows } = await service.database.admin.query('SELECT FROM users WHERE user_hash = $1', [userHash]);
    expect(rows).toHaveLength(0);
  },
);

// A rejected body that arrives together with its headers does not close its connection.
test.each([
  ['a large body', () => large(20_000, '')],
  ['a chunked body', () => chunked('', '1\r\nx\r\n')],
])('a create behind %s without credentials is recorded only with its response', async (what, first) => {
  const userHash = `rejected-${what.replaceAll(' ', '-')}`;
  const received = await exchange(first() + creation(userHash, 'Connection: close\r\n'));
  const statuses = (received.match(/HTTP\/1\.1 \d{3}/g) ?? []).map((line) => line.slice(-3));
  await delay(200);
  const { rows } = await service.database.admin.query('SELECT FROM users WHERE user_hash = $1', [userHash]);
  expect(statuses).toEqual(rows.length === 1 ? ['401', '201'] : ['401']);
});

test('a connection that ends in the middle of its second request is closed', async () => {
  const open = () => promisify<number>((done) => service.server.getConnections(done))();
  const before = await open();
  for (let count = 0; count < 20; count += 1) {
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.end('GET /docs/errors HTTP/1.1\r\nHost: service\r\n\r\nGET /x HTTP/1.1\r\nHo');
  }
  await until('the service has accepted them', async () => (await open()) > before).catch(() => undefined);
  await until('the service has closed them', async () => (await open()) <= before);
});

test('requests before the one whose response closes the connection are served', async () => {
  const received = await exchange(creation('before-1') + creation('before-2') + large(40_000, credentials()));
  expect(received.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 201', 'HTTP/1.1 413']);
});

longTest(
  'a body in a thousand pieces that waits too long gets 503, and the connection is closed',
  async () => {
    const small = await startService({
      database: service.database,
      settings: { DATABASE_POOL_SIZE: '1', DATABASE_QUEUE_LENGTH: '1', DATABASE_LOCK_TIMEOUT_MS: '1500' },
    });
    await createClient(small.server, company.test).get('/company/integration/get/projects').expect(200);
    const holder = await service.database.admin.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE');
      // Each takes 1.5 seconds; a create waits for at most 5.
      const others = Array.from({ length: 6 }, (_, place) => {
        const socket = connect(small.port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(creation(`in-front-${place}`));
        return socket;
      });
      await delay(100);
      const received = await exchange(chunked(credentials(), '1\r\nx\r\n'.repeat(1_000)), small.port);
      expect(received).toMatch(/^HTTP\/1\.1 503 [\s\S]*Connection: close/);
      for (const socket of others) socket.destroy();
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
      await small.stop();
    }
  },
);
