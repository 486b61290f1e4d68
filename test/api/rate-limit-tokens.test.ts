import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { addProject } from '../support/catalogue';
import { createClient, type Client } from '../support/client';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { longTest } from '../support/full-run';

// A request that has not run does not count against the rate limit.

const base = '/company/integration';
const projects = `${base}/get/projects`;

let service: TestService;
let company: TestCompany;
let client: Client;

/** A refill rate so low that few tokens return during a test. */
async function start(settings: Record<string, string>): Promise<void> {
  service = await startService({
    settings: {
      RATE_LIMIT_PER_SECOND: '1',
      RATE_LIMIT_BURST_SECONDS: '300',
      DATABASE_POOL_SIZE: '1',
      DATABASE_QUEUE_LENGTH: '1',
      ...settings,
    },
  });
  company = await service.addCompany();
  client = createClient(service.server, company.test);
  await client.get(projects).expect(200);
}
afterEach(() => service.stop());

async function tokensLeft(): Promise<number> {
  const response = await client.get(projects).expect(200);
  return Number(/r=(\d+)/.exec(response.get('RateLimit') ?? '')?.[1]);
}

async function whileLocked<T>(table: string, work: () => Promise<T>): Promise<T> {
  const holder = await service.database.admin.connect();
  try {
    await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return await work();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

function send(text: string): Socket {
  const socket = connect(service.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(text);
  return socket;
}

const head = (line: string, more = ''): string =>
  `${line} HTTP/1.1\r\nHost: service\r\nAPI-Key: ${company.test.apiKey!}\r\nAPI-Secret: ${company.test.apiSecret!}\r\n${more}\r\n`;

const range = (count: number): number[] => [...Array(count).keys()];

test('queued requests whose client disconnects do not count', async () => {
  await start({ DATABASE_LOCK_TIMEOUT_MS: '1500' });
  const before = await tokensLeft();
  await whileLocked('projects', async () => {
    const sockets = range(40).map(() => send(head(`GET ${projects}`)));
    await delay(300);
    for (const socket of sockets) socket.destroy();
    await delay(200);
  });
  // The request in progress counts, and so does the request that reads the limit.
  await until('the request in progress is over', async () => (await tokensLeft()) > 0);
  expect(before - (await tokensLeft())).toBeLessThan(10);
});

longTest('a body that exceeds the memory budget does not count, and its token is returned once', async () => {
  await start({});
  const projectId = await addProject(service.database.admin);
  // Takes tokens, because a full bucket would hide a token that is returned twice.
  for (let count = 0; count < 150; count += 1) await client.get(projects).expect(200);
  const before = await tokensLeft();
  const body = `${' '.repeat(32_000)}{"project_id":${projectId},"amount":"1.00","user_hash":"large"}`;
  const request = head(
    `PUT ${base}/contributions/create`,
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`,
  );
  const sockets = range(200).map(() => send(request + body.slice(0, -10)));
  await delay(1_000);
  // 4 MiB hold 131 of them; the others were shed.
  expect(before - (await tokensLeft())).toBeLessThan(140);
  for (const socket of sockets) socket.destroy();
  await delay(200);
  const after = await tokensLeft();
  // All tokens were returned, each once. Another one returns each second.
  expect(before - after).toBeLessThanOrEqual(2);
  expect(before - after).toBeGreaterThan(-60);
});

longTest('requests that wait too long for a database connection do not count', async () => {
  await start({
    DATABASE_QUEUE_LENGTH: '4',
    DATABASE_ACQUIRE_TIMEOUT_MS: '200',
    DATABASE_LOCK_TIMEOUT_MS: '2000',
  });
  const before = await tokensLeft();
  const codes = await whileLocked('projects', () =>
    Promise.all(
      range(8).map((place) =>
        client
          .get(place === 0 ? projects : `${base}/get/project/${place}`)
          .then(({ body }) => (body as { code?: string }).code),
      ),
    ),
  );
  const overloaded = codes.filter((code) => code === 'overloaded').length;
  expect(overloaded).toBeGreaterThan(4);
  // Requests with another outcome count, and so does the request that reads the limit.
  expect(before - (await tokensLeft())).toBeLessThanOrEqual(codes.length - overloaded + 1);
});
