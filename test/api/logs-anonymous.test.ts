import { once } from 'node:events';
import { connect } from 'node:net';

import { sendBytes } from '../support/canary-invalid-requests';
import { startPostgresProxy } from '../support/postgres-proxy';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { longTest } from '../support/full-run';

/**
 * What the log says about clients: their address, the attempted key, and the number of lines during
 * a flood.
 */
const projects = '/company/integration/get/projects';
const client = '2001:db8:0:7::42';
const strangersKey = `cpk_test_${'0'.repeat(22)}`;

type Line = Record<string, unknown>;

let service: TestService;
let company: TestCompany;

beforeEach(async () => {
  service = await startService({ settings: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_PER_SECOND: '1000' } });
  company = await service.addCompany();
});
afterEach(() => service.stop());

const lines = (): Line[] => service.logLines.map((line) => JSON.parse(line) as Line);
const linesOf = (message: string): Line[] => lines().filter((line) => line['msg'] === message);
const requestLine = async (requestId: string): Promise<Line> => {
  const find = (): Line | undefined => linesOf('request').find((line) => line['request_id'] === requestId);
  await until('the request is logged', () => find() !== undefined);
  return find()!;
};

test("every line has the client's full address, with and without a trusted proxy and valid credentials", async () => {
  const forwarded = { 'X-Forwarded-For': `192.0.2.1, ${client}` };
  await company.test
    .raw('get', projects)
    .set({ ...forwarded, 'X-Request-Id': 'verified' })
    .expect(200);
  await service.anonymous
    .raw('get', projects)
    .set({ ...forwarded, 'X-Request-Id': 'nobody' })
    .expect(401);
  await service.anonymous.raw('get', '/nothing').set('X-Request-Id', 'direct').expect(404);
  expect(await requestLine('verified')).toMatchObject({
    client_address: client,
    api_key: company.test.apiKey,
  });
  expect(await requestLine('nobody')).toMatchObject({ client_address: client });
  expect(await requestLine('direct')).toMatchObject({ client_address: '127.0.0.1' });
});

longTest('a request that the parser rejected has the address of its connection', async () => {
  await sendBytes(service.port, 'GET / HTTP/1.1\r\nHost\r\n\r\n');
  await until('it is logged', () => linesOf('request').length === 1);
  expect(linesOf('request')).toEqual([
    expect.objectContaining({ status: 400, error_code: 'malformed_http', client_address: '127.0.0.1' }),
  ]);
});

describe('the attempted key', () => {
  test('is logged on 401 if it has the form of a key', async () => {
    const send = async (requestId: string, apiKey: string): Promise<Line> => {
      await service.anonymous
        .raw('get', projects)
        .set({ 'API-Key': apiKey, 'API-Secret': company.test.apiSecret!, 'X-Request-Id': requestId })
        .expect(401);
      return requestLine(requestId);
    };
    expect(await send('unknown', strangersKey)).toMatchObject({ attempted_api_key: strangersKey });
    expect(await send('other', company.production.apiKey!)).toMatchObject({
      attempted_api_key: company.production.apiKey,
    });
    for (const [requestId, text] of [
      ['secret', company.test.apiSecret!],
      ['longer', `${strangersKey}0`],
      ['two', `${strangersKey}, ${strangersKey}`],
    ] as const) {
      expect(await send(requestId, text)).not.toHaveProperty('attempted_api_key');
    }
  });

  test('is logged on 429 for failed authentications', async () => {
    const other = await startService({
      database: service.database,
      settings: { FAILED_AUTHENTICATIONS_PER_PAIR: '1' },
    });
    try {
      const send = () =>
        other.anonymous
          .raw('get', projects)
          .set({ 'API-Key': strangersKey, 'API-Secret': company.test.apiSecret! });
      expect([(await send()).status, (await send()).status]).toEqual([401, 429]);
      const attempts = (): Line[] =>
        other.logLines.map((line) => JSON.parse(line) as Line).filter((line) => line['status'] === 429);
      await until('it is logged', () => attempts().length === 1);
      expect(attempts()).toEqual([
        expect.objectContaining({ attempted_api_key: strangersKey, error_code: 'authentication_throttled' }),
      ]);
    } finally {
      await other.stop();
    }
  });

  test('is logged once, as the verified key, on 403 for a missing scope', async () => {
    const pair = await service.addPair(company, 'test', ['projects:read']);
    await pair.raw('get', '/company/integration/contributions').set('X-Request-Id', 'scope').expect(403);
    const line = await requestLine('scope');
    expect(line).toMatchObject({ api_key: pair.apiKey, client_address: '127.0.0.1' });
    expect(line).not.toHaveProperty('attempted_api_key');
  });
});

/** Repeats the same request over one connection and waits for all responses. */
async function flood(bytes: string, count: number): Promise<void> {
  const socket = connect(service.port, '127.0.0.1');
  let responses = 0;
  let rest = '';
  socket.on('data', (data: Buffer) => {
    const text = rest + data.toString('latin1');
    const parts = text.split('HTTP/1.1 ');
    responses += parts.length - 1;
    rest = parts.at(-1)!.slice(-8).replace('HTTP/1.1 ', '');
  });
  for (let sent = 0; sent < count; sent += 10) {
    socket.write(bytes.repeat(10));
    const expected = sent + 10;
    await until('they have their responses', () => responses >= expected);
  }
  socket.end();
  await once(socket, 'close');
}

longTest(
  'an anonymous flood writes a few lines with a count, and each request of a verified key pair has a line',
  async () => {
    const count = 3_000;
    const verified = Array.from({ length: 60 }, (_, index) => `verified-${index}`);
    await Promise.all([
      flood(`GET ${projects} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${client}\r\n\r\n`, count),
      ...verified.map((id) =>
        company.test.raw('get', projects).set({ 'X-Forwarded-For': client, 'X-Request-Id': id }),
      ),
    ]);
    for (const id of verified) expect(await requestLine(id)).toMatchObject({ client_address: client });
    service.container.flushLogs();
    const own = linesOf('request').filter((line) => line['error_code'] === 'credentials_malformed');
    const summaries = linesOf('requests not logged individually');
    expect(own.length).toBeLessThanOrEqual(20);
    const summed = summaries.filter((line) => line['client_network'] === '2001:db8:0:7::/64');
    expect(summed.length).toBeGreaterThan(0);
    const counted = summaries.reduce((sum, line) => sum + Number(line['count']), 0);
    const logged = linesOf('request').length - verified.length;
    expect(logged + counted).toBe(count);
    expect(Buffer.byteLength(service.logLines.join(''))).toBeLessThan(50_000 + 60 * 400);
  },
);

longTest(
  'while the database is unavailable, a flood of unknown keys writes few lines about the failure',
  async () => {
    const proxy = await startPostgresProxy(service.database.url);
    const other = await startService({ database: service.database, databaseUrl: proxy.url });
    try {
      proxy.refuse();
      for (let sent = 0; sent < 60; sent += 1) {
        await other.anonymous
          .raw('get', projects)
          .set({ 'API-Key': strangersKey, 'API-Secret': company.test.apiSecret! })
          .expect(503);
      }
      const failed = other.logLines.filter((line) => line.includes('"msg":"failed"'));
      expect(failed.length).toBeGreaterThan(0);
      expect(failed.length).toBeLessThanOrEqual(20);
    } finally {
      await other.stop();
      await proxy.stop();
    }
  },
);
