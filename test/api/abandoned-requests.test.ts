import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { addProject } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { scrape, serveMetricsOf } from '../support/metrics';
import { lockWaits } from '../support/lock-waits';
import { startService, type TestCompany, type TestService } from '../support/service';
import { createSlowLists, holdLists } from '../support/slow-lists';
import { until } from '../support/until';

/**
 * Clients that disconnect before their response. These tests slow down the first statement of each
 * list.
 */
const contributions = '/company/integration/contributions';

let database: TestDatabase;
let service: TestService;
let company: TestCompany;
let projectId: number;
let metrics: Awaited<ReturnType<typeof serveMetricsOf>>;

beforeAll(async () => {
  database = await createTestDatabase();
  await createSlowLists(database, 0);
  service = await startService({ database, settings: { DATABASE_POOL_SIZE: '10' } });
  metrics = await serveMetricsOf(service);
  company = await service.addCompany();
  projectId = await addProject(database.admin);
  await company.test.get(contributions).expect(200);
});
afterAll(async () => {
  await metrics.stop();
  await service.stop();
  await database.drop();
});

const credentials = () => `API-Key: ${company.test.apiKey!}\r\nAPI-Secret: ${company.test.apiSecret!}\r\n`;
const list = () => `GET ${contributions}?limit=1000 HTTP/1.1\r\nHost: service\r\n${credentials()}\r\n`;

async function send(request: string): Promise<Socket> {
  const socket = connect(service.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(request);
  return socket;
}

/** The number of times that the database has run each statement of a list. */
async function statements(): Promise<{ horizons: number; lists: number }> {
  const { value } = await scrape(metrics.port);
  const count = (statement: string) =>
    value('contribution_database_statement_duration_seconds_count', { statement });
  return { horizons: count('read_visibility_horizon'), lists: count('list_transactions') };
}

const requests = async (status: string): Promise<number> =>
  (await scrape(metrics.port)).samples
    .filter(({ name, labels }) => name === 'contribution_http_requests_total' && labels['status'] === status)
    .reduce((sum, { value }) => sum + value, 0);

const admission = async (gauge: 'waiting_requests' | 'requests_in_progress') =>
  (await scrape(metrics.port)).value(`contribution_admission_${gauge}`, { class: 'lists' });

const leaving: readonly [string, (socket: Socket) => void][] = [
  ['closes the connection', (socket) => socket.destroy()],
  ['resets the connection', (socket) => socket.resetAndDestroy()],
];

test.each(leaving)(
  'a list whose client %s right after the request runs no statement',
  async (_how, leave) => {
    const [before, unanswered] = [await statements(), await requests('unanswered')];
    for (let sent = 0; sent < 20; sent += 1) leave(await send(list()));
    await until('all are over', async () => (await requests('unanswered')) === unanswered + 20);
    expect(await admission('requests_in_progress')).toBe(0);
    expect(await statements()).toEqual(before);
    expect((await company.test.get(contributions).expect(200)).body).toHaveProperty('data');
  },
);

test('a client that disconnects repeatedly before its lists start does not fill the log', async () => {
  const unanswered = await requests('unanswered');
  for (let sent = 0; sent < 30; sent += 1) (await send(list())).destroy();
  await until('all are over', async () => (await requests('unanswered')) === unanswered + 30);
  await company.test.get(contributions).set('X-Request-Id', 'the-last').expect(200);
  await until('the last is logged', () => service.logLines.some((line) => line.includes('the-last')));
  const logged = service.logLines.filter((line) => line.includes('"answered":false'));
  expect(logged.length).toBeLessThanOrEqual(20);
});

test.each(leaving)(
  'a list whose client %s during a statement runs no further statement',
  async (_how, leave) => {
    const release = await holdLists(database);
    const before = await statements();
    const socket = await send(list());
    await until('it has started', async () => (await admission('requests_in_progress')) === 1);
    leave(socket);
    await release();
    await until('it has ended', async () => (await admission('requests_in_progress')) === 0);
    expect(await statements()).toEqual({ horizons: before.horizons + 1, lists: before.lists });
  },
);

test('waiting lists leave the queue when their clients disconnect', async () => {
  const release = await holdLists(database);
  const before = await statements();
  const sockets = await Promise.all(Array.from({ length: 12 }, () => send(list())));
  await until('nine wait', async () => (await admission('waiting_requests')) === 9);
  for (const socket of sockets) socket.destroy();
  await until('none waits', async () => (await admission('waiting_requests')) === 0);
  await release();
  await until('all have ended', async () => (await admission('requests_in_progress')) === 0);
  expect(await statements()).toEqual({ horizons: before.horizons + 3, lists: before.lists });
});

test('a create that has started is recorded when its client disconnects', async () => {
  const body = JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: 'left-at-once' });
  const headers = `${credentials()}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const lock = await database.admin.connect();
  try {
    await lock.query('BEGIN; LOCK TABLE transactions IN SHARE MODE');
    const socket = await send(
      `PUT ${contributions}/create HTTP/1.1\r\nHost: service\r\n${headers}\r\n${body}`,
    );
    await until('it waits for the lock', async () =>
      (await lockWaits(database.admin)).some((query) => query.includes('create_contribution')),
    );
    socket.destroy();
    await until('no request waits for it', async () => (await requests('unanswered')) > 0);
    await lock.query('COMMIT');
  } finally {
    lock.release(true);
  }
  await until('it is recorded', async () => {
    const { rows } = await database.admin.query(
      `SELECT FROM transactions JOIN users USING (environment_id, user_id) WHERE user_hash = 'left-at-once'`,
    );
    return rows.length === 1;
  });
});
