import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, BlockList } from 'node:net';

import pino from 'pino';

import { createLogSampling } from '../../src/http/request/log-sampling';
import { RequestContext } from '../../src/http/request/request-context';
import { recordRequests } from '../../src/http/request/request-records';
import { Connections } from '../../src/http/server/connection';
import type { Principal } from '../../src/shared/scopes';
import { until } from '../support/until';

/** Log lines of requests that end before the endpoint authenticates them. */
const apiKey = `cpk_test_${'a'.repeat(22)}`;
const principal: Principal = {
  apiKey,
  environmentId: 7,
  environmentKind: 'test',
  transactionTag: 'T',
  faultyOperations: [],
  isFrozen: false,
  scopes: ['contributions:create'],
  rateLimits: { requestsPerSecond: null, completionsPerSecond: null },
};

let server: Server;
let lines: Record<string, unknown>[];
let status: number;
let errorCode: string | undefined;
let route: string | undefined;
let hasResponse: boolean;
let more: Partial<RequestContext>;
let summarize: () => void;

beforeEach(async () => {
  lines = [];
  errorCode = undefined;
  hasResponse = true;
  more = {};
  route = '/company/integration/contributions/create';
  const logger = pino(
    { base: null },
    { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const sampling = createLogSampling(logger);
  summarize = sampling.flush;
  const records = recordRequests({
    logger,
    observer: { onBegin: () => undefined, onEnd: () => undefined },
    sampling,
  });
  const connections = new Connections(new BlockList());
  server = createServer((req, res) => {
    const context = new RequestContext(req, res, connections.of(req.socket));
    res.once('close', () => {
      records.end(context);
    });
    const identified = { keyPair: {}, principal };
    Object.assign(context, { identified, errorCode, route }, more);
    res.statusCode = status;
    if (hasResponse) res.end();
    else req.socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function send(count: number): Promise<void> {
  const { port } = server.address() as AddressInfo;
  for (let sent = 0; sent < count; sent += 1) {
    await (await fetch(`http://127.0.0.1:${port}/`, { headers: { 'API-Key': apiKey } })).text();
  }
}

test.each<[number, string | undefined]>([
  [201, undefined],
  [200, undefined],
  [400, 'invalid_request'],
  [403, 'scope_missing'],
  [404, 'transaction_not_found'],
  [409, 'amount_mismatch'],
  [500, 'outcome_unknown'],
  [503, 'database_unavailable'],
])('an operation of a verified key pair always has a line that names the key: %d %s', async (...response) => {
  [status, errorCode] = response;
  await send(50);
  await until('all are logged', () => lines.length === 50);
  for (const line of lines) expect(line).toMatchObject({ status, api_key: apiKey, environment_id: 7 });
});

test.each<[number, string | undefined, string | undefined]>([
  [429, 'rate_limited', '/company/integration/contributions/create'],
  [503, 'overloaded', '/company/integration/contributions/create'],
  [404, 'path_not_found', undefined],
  [405, 'method_not_allowed', undefined],
  [200, undefined, undefined],
])(
  'requests of a verified key pair that name no operation or do not start are sampled by environment: %d %s',
  async (...response) => {
    [status, errorCode, route] = response;
    await send(50);
    await until('some are logged', () => lines.length >= 20);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(lines).toHaveLength(20);
    for (const line of lines) expect(line).toMatchObject({ status, api_key: apiKey, environment_id: 7 });
    summarize();
    expect(lines.slice(20)).toEqual([
      expect.objectContaining({
        msg: 'requests not logged individually',
        environment_id: 7,
        status,
        count: 30,
      }),
    ]);
    expect(lines[20]!['error_code']).toBe(errorCode);
  },
);

test('a key pair that admission knew and the endpoint rejects with 401 is logged as unverified', async () => {
  status = 401;
  await send(50);
  await until('some are logged', () => lines.length >= 20);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(lines).toHaveLength(20);
  for (const line of lines) {
    expect(line).toMatchObject({ attempted_api_key: apiKey });
    expect(line).not.toHaveProperty('api_key');
  }
});

test.each([
  ['before they start', {}],
  ['before they are rejected by the rate limit', { principal }],
])(
  'requests of a verified key pair whose client disconnects %s have no status and are sampled',
  async (_when, noted) => {
    hasResponse = false;
    more = noted;
    for (let sent = 0; sent < 50; sent += 1) await expect(send(1)).rejects.toThrow();
    await until('some are logged', () => lines.length >= 20);
    summarize();
    expect(lines).toHaveLength(21);
    for (const line of lines) expect(line).not.toHaveProperty('status');
    expect(lines[0]).toMatchObject({ answered: false, api_key: apiKey });
    expect(lines[20]).toMatchObject({ environment_id: 7, count: 30 });
  },
);

test('requests of a verified key pair whose client disconnects after they have started have a line each', async () => {
  hasResponse = false;
  more = { principal, state: 'started' };
  for (let sent = 0; sent < 50; sent += 1) await expect(send(1)).rejects.toThrow();
  await until('all are logged', () => lines.length === 50);
  expect(lines[49]).toMatchObject({ answered: false, api_key: apiKey });
});
