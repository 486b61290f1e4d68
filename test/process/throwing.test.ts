import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { type BuiltService, prepareBuiltService } from '../support/built-service';
import { sample, takesAllRows } from '../support/full-run';
import { freePort, RunningService } from '../support/program';
import { withoutRateLimits } from '../support/without-rate-limits';

let built: BuiltService<'host' | 'bank'>;
let service: RunningService;
/** The address of the preloaded module that makes functions throw. */
let control: string;

beforeAll(async () => {
  built = await prepareBuiltService(
    {
      host: ['projects:read', 'contributions:create', 'contributions:read'],
      bank: ['contributions:complete', 'contributions:read'],
    },
    { link: ['host', 'bank'] },
  );
  const port = String(await freePort());
  control = `http://127.0.0.1:${port}`;
  service = await RunningService.start({
    ...built.settings,
    ...withoutRateLimits,
    METRICS_PORT: String(await freePort()),
    NODE_OPTIONS: `--require=${path.join(__dirname, 'throw-on-demand.cjs')}`,
    THROWING_PORT: port,
  });
});
afterAll(() => built.remove());

const api = '/company/integration';
const limitMs = 20_000;

/** The status of a response; 0 if the connection ended without one. A request that hangs fails. */
async function statusOf(
  pair: 'host' | 'bank' | undefined,
  method: string,
  address: string,
  {
    headers: more = {},
    ...init
  }: { headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> } = {},
) {
  const { apiKey = '', apiSecret = '' } = pair ? built.pairs[pair] : {};
  const headers = {
    'API-Key': apiKey,
    'API-Secret': apiSecret,
    'Content-Type': 'application/json',
    ...more,
  };
  try {
    const response = await fetch(service.baseUrl + address, {
      ...init,
      method,
      headers,
      signal: AbortSignal.timeout(limitMs),
    });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    if ((error as Error).name === 'TimeoutError')
      throw new Error(`${method} ${address} hangs`, { cause: error });
    return 0;
  }
}

/** The status lines of the responses to bytes that no HTTP client sends. */
async function rawStatuses(text: string): Promise<string[]> {
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').setTimeout(limitMs, () =>
    socket.destroy(new Error(`hangs: ${text}`)),
  );
  let received = '';
  socket.on('data', (data: Buffer) => (received += data.toString('latin1')));
  socket.write(text);
  await once(socket, 'close').catch((error: unknown) => {
    if (String(error).includes('hangs')) throw error;
  });
  return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? '');
}

/** Every way through the code around the application, with the status that is right. */
async function everyWay(): Promise<string[]> {
  const body = JSON.stringify({ project_id: built.projectId, amount: '25.00', user_hash: 'dXNlcg==' });
  const create = `${api}/contributions/create`;
  const keyed = { headers: { 'Idempotency-Key': randomUUID() }, body };
  const live = (more = ''): string => `GET /health/live HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
  const waysAndStatuses: [Promise<unknown>, unknown][] = [
    [statusOf(undefined, 'GET', '/health/live'), 200],
    [statusOf('host', 'GET', `${api}/get/projects`), 200],
    [statusOf('host', 'PUT', create, keyed), 201],
    [
      statusOf('host', 'PUT', create, {
        headers: { 'Content-Encoding': 'gzip' },
        body: new Uint8Array(gzipSync(body)),
      }),
      201,
    ],
    [statusOf('host', 'PUT', create, { body: 'x'.repeat(4_000) }), 400],
    [statusOf('host', 'PUT', create, { body: 'x'.repeat(400_000) }), 413],
    [statusOf('host', 'GET', `${api}/contributions?limit=1`), 200],
    [
      statusOf('bank', 'PUT', `${api}/contributions/none`, {
        body: '{"status":"completed","amount":"1.00"}',
      }),
      404,
    ],
    [
      statusOf('bank', 'POST', `${api}/contributions/completions`, {
        headers: { 'Content-Type': 'application/x-ndjson' },
        body: '{}\n',
        // Its environment may send only some files a minute.
      }).then((status) => (status === 429 ? 200 : status)),
      200,
    ],
    [statusOf(undefined, 'GET', `${api}/get/projects`), 401],
    [
      statusOf(undefined, 'GET', `${api}/get/projects`, {
        headers: { 'API-Key': built.pairs.host.apiKey!, 'API-Secret': built.pairs.bank.apiSecret! },
      }),
      401,
    ],
    [statusOf(undefined, 'GET', '/nowhere'), 404],
    [statusOf(undefined, 'DELETE', `${api}/get/projects`), 405],
    [rawStatuses(live() + live() + live('Connection: close\r\n')), ['200', '200', '200']],
    [rawStatuses('no HTTP\r\n\r\n'), ['400']],
    [rawStatuses('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'), ['404']],
    [
      rawStatuses(
        'PUT /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}',
      ),
      ['100', '404'],
    ],
  ];
  const results = await Promise.all(waysAndStatuses.map(async ([way, right]) => [await way, right] as const));
  return results.flatMap(([status, right], way) =>
    JSON.stringify(status) === JSON.stringify(right) ? [] : [`way ${way}: ${JSON.stringify(status)}`],
  );
}

interface State {
  seen: string[];
  armed?: string;
  thrown: number;
}

const readState = async (): Promise<State> => (await (await fetch(control)).json()) as State;

test('an exception in any function on the way of a request ends at most that request', async () => {
  expect(await everyWay()).toEqual([]);
  const { seen } = await readState();
  expect(seen.length).toBeGreaterThan(100);
  const failures: Record<string, string[]> = {};
  const chosen = sample(seen, 5);
  for (const name of chosen) {
    const before = (await readState()).thrown;
    await fetch(`${control}/${encodeURIComponent(name)}`, { method: 'POST' });
    const affected = await everyWay();
    const { thrown } = await readState();
    if (thrown === before) continue;
    // One request fails, and one that is pipelined behind it at most.
    const later = await everyWay();
    if (affected.length > 2 || later.length > 0) failures[name] = [...affected, '…', ...later];
  }
  expect(failures).toEqual({});
  // The others run only at the start. A sample of a dozen may have mostly those.
  expect((await readState()).thrown).toBeGreaterThan(takesAllRows ? chosen.length / 5 : 0);
  // Nothing keeps a slot: the service stops at once.
  expect(await service.signal('SIGTERM')).toBe(0);
  expect(service.output).not.toContain('were aborted');
});
