import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { addProject } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';
import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { sample } from '../support/full-run';
import { until } from '../support/until';

const create = '/company/integration/contributions/create';

let service: TestService;
let company: TestCompany;
let flooder: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService({
    settings: { LOG_LEVEL: 'warn', TRUSTED_PROXIES: '127.0.0.0/8', BODY_LIMIT_BYTES: '32768' },
  });
  company = await service.addCompany();
  flooder = await service.addCompany();
  projectId = await addProject(service.database.admin);
  await company.test.get('/company/integration/get/projects').expect(200);
});
afterAll(() => service.stop());

const credentialsOf = ({ apiKey, apiSecret }: Pick<TestCompany['test'], 'apiKey' | 'apiSecret'>): string =>
  `API-Key: ${apiKey!}\r\nAPI-Secret: ${apiSecret!}\r\n`;

const bodyOf = (userHash: string, padding = 0): string =>
  ' '.repeat(padding) + JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: userHash });

const head = (credentials: string, more: string): string =>
  `PUT ${create} HTTP/1.1\r\nHost: service\r\n${credentials}Content-Type: application/json\r\n${more}\r\n`;

function chunkedCreate(userHash: string, padding = 0): string {
  const body = bodyOf(userHash, padding);
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  return head(credentialsOf(company.test), 'Transfer-Encoding: chunked\r\n') + chunk;
}

function open(port = service.port): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

/**
 * Sends each request on a separate connection, all at once.
 *
 * @returns the number of responses by status
 */
async function statusesOf(requests: string[], port = service.port): Promise<Record<string, number>> {
  const sockets = requests.map(() => open(port));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const counts: Record<string, number> = {};
  await Promise.all(
    sockets.map(async (socket, place) => {
      socket.write(requests[place]!);
      const [data] = (await once(socket, 'data')) as [Buffer];
      const status = data.toString('latin1', 9, 12);
      counts[status] = (counts[status] ?? 0) + 1;
      socket.destroy();
    }),
  );
  return counts;
}

const range = (count: number): number[] => [...Array(count).keys()];

/** As many creates as this machine handles in a second and a half: a burst may wait longer. */
async function burstSize(most: number, port = service.port): Promise<number> {
  const few = range(50).map((place) => chunkedCreate(`speed-${port}-${place}`));
  await statusesOf(few, port);
  const startedAt = performance.now();
  await statusesOf(few, port);
  return Math.min(most, Math.ceil((few.length * 1_500) / (performance.now() - startedAt)));
}

test('up to 1,000 concurrent creates with chunked bodies are all recorded', async () => {
  const count = await burstSize(1_000);
  const requests = range(count).map((place) => chunkedCreate(`chunked-${place}`));
  expect(await statusesOf(requests)).toEqual({ 201: count });
  const { rows } = await service.database.admin.query("SELECT FROM users WHERE user_hash LIKE 'chunked-%'");
  expect(rows).toHaveLength(count);
});

test.each(sample([1_024, 1_048_576], 1))(
  'a burst of chunked bodies is served with BODY_LIMIT_BYTES=%i',
  async (limit) => {
    const other = await startService({
      database: service.database,
      settings: { LOG_LEVEL: 'warn', BODY_LIMIT_BYTES: String(limit) },
    });
    try {
      const count = await burstSize(200, other.port);
      const requests = range(count).map((place) => chunkedCreate(`limit-${limit}-${place}`));
      expect(await statusesOf(requests, other.port)).toEqual({ 201: count });
      // With the largest limit, several bodies fit only because the budget grows with the limit.
      const largest = range(10).map((place) => chunkedCreate(`large-${limit}-${place}`, limit - 100));
      expect(await statusesOf(largest, other.port)).toEqual({ 201: 10 });
    } finally {
      await other.stop();
    }
  },
);

describe('unauthenticated requests with Content-Length', () => {
  /**
   * Opens this number of connections from each of this number of addresses, each with an unknown
   * key.
   */
  function flood(addresses: number, connections: number, sentBytes: number): Socket[] {
    return range(addresses * connections).map((place) => {
      const socket = open();
      socket.resume();
      const address = `X-Forwarded-For: 203.0.113.${(place % addresses) + 1}\r\n`;
      const credentials = credentialsOf(drawKeyPair('test'));
      socket.write(head(credentials, `${address}Content-Length: 32768\r\n`) + ' '.repeat(sentBytes));
      return socket;
    });
  }

  test.each([
    ['that do not arrive', 12, 130, 1],
    // More than the budget of all unauthenticated requests.
    ['that arrive all but for a byte', 12, 40, 32_767],
  ])('%s do not take memory from partners', async (_what, addresses, connections, sentBytes) => {
    const sockets = flood(addresses, connections, sentBytes);
    try {
      await delay(1_500);
      const requests = range(20).map((place) => chunkedCreate(`stranger-${sentBytes}-${place}`, 30_000));
      expect(await statusesOf(requests)).toEqual({ 201: 20 });
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  test('get 503 beyond the limit of their address, and their connections are closed', async () => {
    const sockets = flood(1, 40, 32_767);
    try {
      let closed = 0;
      for (const socket of sockets) {
        socket.once('close', () => {
          closed += 1;
        });
      }
      await until('some are closed', () => closed > 0);
      await delay(1_000);
      expect(closed).toBeLessThan(20);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});

test('large bodies of one environment are shed beyond 4 MiB, and other environments are not affected', async () => {
  const large = bodyOf('large', 32_000);
  const request = head(credentialsOf(flooder.test), `Content-Length: ${large.length}\r\n`);
  const sockets = range(160).map(() => {
    const socket = open();
    socket.write(request + large.slice(0, -10));
    return socket;
  });
  try {
    const statuses: string[] = [];
    for (const socket of sockets)
      socket.once('data', (data: Buffer) => statuses.push(data.toString('latin1', 9, 12)));
    await until('some are shed', () => statuses.length > 0);
    await company.test.put(create, { project_id: projectId, amount: '1.00', user_hash: 'other' }).expect(201);
    expect(new Set(statuses)).toEqual(new Set(['503']));
    // The others are held.
    expect(statuses.length).toBeLessThan(sockets.length);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});
