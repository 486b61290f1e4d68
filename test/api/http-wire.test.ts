import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import type { ErrorCode } from '../../src/shared/errors';
import { addProject } from '../support/catalogue';
import { publicBaseUrl, startService, type TestCompany, type TestService } from '../support/service';
import { errorCatalog } from '../support/errors';

const projects = '/company/integration/get/projects';
const create = '/company/integration/contributions/create';
const headersTimeoutMs = 400;
const requestTimeoutMs = 800;

let service: TestService;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService({
    settings: { HEADERS_TIMEOUT_MS: String(headersTimeoutMs), REQUEST_TIMEOUT_MS: String(requestTimeoutMs) },
  });
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
});
afterAll(() => service.stop());

interface RawResponse {
  status: number;
  headers: Map<string, string>;
  body: string;
  /** Milliseconds until the connection was closed. */
  afterMs: number;
}

function open(): Socket {
  const socket = connect(service.port, '127.0.0.1');
  socket.on('error', () => undefined);
  // Closes the connections that the service has not closed; they have no response.
  socket.setTimeout(5_000, () => socket.destroy());
  return socket;
}

/** Reads from a connection until the service closes it. */
async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string, afterMs = 0): RawResponse {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => line.split(': ', 2) as [string, string]);
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body,
    afterMs,
  };
}

/** Splits the bytes of a connection into responses, as a client does that trusts Content-Length. */
function responsesIn(text: string): { status: string; body: string }[] {
  const responses = [];
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n') + 4;
    const length = Number(/^Content-Length: (\d+)/m.exec(rest.slice(0, end))?.[1] ?? 0);
    responses.push({ status: rest.slice(0, 'HTTP/1.1 200'.length), body: rest.slice(end, end + length) });
    rest = rest.slice(end + length);
  }
  return responses;
}

/** Sends raw text; the response ends when the service closes the connection. */
async function send(text: string | Buffer): Promise<RawResponse> {
  const startedAt = performance.now();
  const socket = open();
  socket.write(text);
  const response = await readAll(socket);
  return parse(response, performance.now() - startedAt);
}

function expectProblem(response: RawResponse, code: ErrorCode): void {
  const { status } = errorCatalog[code];
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = JSON.parse(response.body) as Record<string, unknown>;
  expect(problem).toMatchObject({ code, status, type: `${publicBaseUrl}/docs/errors#${code}` });
  expect(response.headers.get('x-request-id')).toBe(problem['request_id']);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.has('x-powered-by')).toBe(false);
}

const credentials = () => `API-Key: ${company.test.apiKey!}\r\nAPI-Secret: ${company.test.apiSecret!}\r\n`;
const head = (requestLine: string, more = '') =>
  `${requestLine} HTTP/1.1\r\nHost: service\r\nConnection: close\r\n${more}\r\n`;

describe('a request that is not valid HTTP', () => {
  test.each<[string, string]>([
    ['without a request line', 'nonsense\r\n\r\n'],
    ['with an unknown method', head(`BREW ${projects}`)],
    ['with a space in its path', head('GET /company integration')],
    ['with a header without a colon', head(`GET ${projects}`, 'API-Key\r\n')],
    ['with a header name of other characters', head(`GET ${projects}`, 'API Key: a\r\n')],
    ['with a control character in a header', head(`GET ${projects}`, 'API-Key: a\u0000b\r\n')],
    ['with two lengths', head(`PUT ${create}`, 'Content-Length: 2\r\nContent-Length: 3\r\n')],
    ['with a length that is not a number', head(`PUT ${create}`, 'Content-Length: ten\r\n')],
    [
      'with a length and chunks',
      head(`PUT ${create}`, 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'),
    ],
    ['in another version', `GET ${projects} HTTP/9.9\r\nHost: service\r\n\r\n`],
    ['of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['but TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
    ['without Host', `GET ${projects} HTTP/1.1\r\nConnection: close\r\n\r\n`],
  ])('%s gets 400 malformed_http', async (_how, text) => {
    expectProblem(await send(Buffer.from(text, 'latin1')), 'malformed_http');
  });

  // Load balancers that pass the client's address only in this way are not supported
  // (docs/operations/install.md).
  test.each<[string, string]>([
    ['version 1', 'PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\n'],
    ['version 1, without an address', 'PROXY UNKNOWN\r\n'],
    ['version 2', '\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02\x01\xc0\0\x02\x02\xdc\x04\x01\xbb'],
  ])(
    'with a PROXY protocol preamble, %s, gets 400 malformed_http and is not processed',
    async (_version, preamble) => {
      const body = JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: 'proxied' });
      const more = `${credentials()}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      const request = head(`PUT ${create}`, more) + body;
      expectProblem(await send(Buffer.from(preamble + request, 'latin1')), 'malformed_http');
      const { rows } = await service.database.admin.query('SELECT FROM transactions');
      expect(rows).toEqual([]);
      expect((await company.test.get(projects)).status).toBe(200);
    },
  );

  test('in the middle of its body gets 400 malformed_http, and nothing is recorded', async () => {
    const response = await send(
      `${head(`PUT ${create}`, `${credentials()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n`)}zz\r\n`,
    );
    expectProblem(response, 'malformed_http');
    const { rows } = await service.database.admin.query('SELECT FROM transactions');
    expect(rows).toEqual([]);
  });

  test('has a line in the log with the request id of the response and none of the bytes', async () => {
    const response = await send(head('BREW /secret-path', 'API-Secret: secret-header\r\n'));
    const requestId = response.headers.get('x-request-id')!;
    const lines = service.logLines.filter((line) => line.includes(requestId));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ status: 400, error_code: 'malformed_http', msg: 'request' }),
    ]);
    expect(service.logLines.join()).not.toMatch(/secret-path|secret-header/);
  });

  test('does not affect the next connection', async () => {
    await send('nonsense\r\n\r\n');
    expect((await company.test.get(projects)).status).toBe(200);
  });
});

describe('a path with a broken percent-encoding', () => {
  test.each([
    '/company/integration/get/project/%ff',
    '/company/integration/get/project/%zz',
    '/company/integration/get/project/%',
    '/company/integration/contributions/%c3%28',
    '/company/integration/stories/%80/views',
  ])('%s gets 400 malformed_http', async (url) => {
    expectProblem(await send(head(`GET ${url}`, credentials())), 'malformed_http');
  });

  test('and no operation gets 404', async () => {
    expectProblem(await send(head('GET /nothing/%zz')), 'path_not_found');
  });
});

describe('an unusual but valid request', () => {
  test('with an absolute URL is routed by its path', async () => {
    const response = await send(head(`GET http://somewhere.else${projects}`, credentials()));
    expect(response.status).toBe(200);
  });

  test('with a path that starts with two slashes is not another operation', async () => {
    expectProblem(await send(head(`GET /${projects}`, credentials())), 'path_not_found');
  });

  test('OPTIONS * gets 404', async () => {
    expectProblem(await send(head('OPTIONS *')), 'path_not_found');
  });

  test('with an unknown expectation is served, or rejected with a problem document', async () => {
    const response = await send(head(`GET ${projects}`, `${credentials()}Expect: miracles\r\n`));
    expect(response.headers.get('content-type')).toBe(
      response.status === 200 ? 'application/json; charset=utf-8' : 'application/problem+json',
    );
    expect(response.headers.has('x-request-id')).toBe(true);
  });

  test('that asks for a protocol upgrade is served as plain HTTP', async () => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
    const text = `GET ${projects} HTTP/1.1\r\nHost: service\r\n${upgrade}${credentials()}\r\n`;
    const socket = open();
    socket.write(text);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(parse(first.toString()).status).toBe(200);
    socket.destroy();
  });

  test('in HTTP/1.0 is served, also without Host', async () => {
    expect((await send(`GET ${projects} HTTP/1.0\r\n${credentials()}\r\n`)).status).toBe(200);
  });

  test('that waits for "100 Continue" gets it and is served', async () => {
    const body = JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: 'patient' });
    const socket = open();
    const received = readAll(socket);
    socket.write(
      head(
        `PUT ${create}`,
        `${credentials()}Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n`,
      ),
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
    expect(await received).toContain('HTTP/1.1 201');
  });

  test.each([
    ['its body follows at once', false],
    ['its body follows after "100 Continue"', true],
  ])('that expects "100 Continue" behind another one gets its own response when %s', async (_when, waits) => {
    const body = JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: 'impatient' });
    const first = `GET ${projects}?limit=1 HTTP/1.1\r\nHost: service\r\n${credentials()}\r\n`;
    const second =
      `PUT ${create} HTTP/1.1\r\nHost: service\r\n${credentials()}Content-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`;
    const socket = open();
    const received = readAll(socket);
    socket.write(first + second);
    if (waits) {
      let text = '';
      while (!text.includes('100 Continue')) text += String((await once(socket, 'data'))[0]);
    }
    socket.write(body + first);
    const responses = responsesIn(await received).filter(({ status }) => status !== 'HTTP/1.1 100');
    expect(responses.map(({ status }) => status)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 201']);
    expect(JSON.parse(responses[1]!.body)).toMatchObject({ status: 'pending' });
  });

  test('keeps its response when invalid bytes follow on the same connection', async () => {
    const body = JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: 'longer-than-said' });
    const length = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const response = await send(
      `PUT ${create} HTTP/1.1\r\nHost: service\r\n${credentials()}${length}\r\n${body}}}}`,
    );
    const { rows } = await service.database.admin.query(
      `SELECT FROM transactions JOIN users USING (environment_id, user_id) WHERE user_hash = 'longer-than-said'`,
    );
    // A recorded contribution never gets an error response.
    expect([response.status, rows.length]).toEqual([201, 1]);
  });

  test('behind another one on the same connection is served after it', async () => {
    const one = `GET ${projects}?limit=1 HTTP/1.1\r\nHost: service\r\n${credentials()}\r\n`;
    const socket = open();
    socket.write(one + head('GET /nothing'));
    const statuses = [...(await readAll(socket)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '404']);
  });
});

describe('headers over the limit', () => {
  test.each<[string, string]>([
    ['one long header', `X-Long: ${'a'.repeat(20_000)}\r\n`],
    [
      'many headers',
      Array.from({ length: 400 }, (_, index) => `X-Header-${index}: ${'a'.repeat(50)}\r\n`).join(''),
    ],
  ])('of %s get 431 headers_too_large', async (_what, headers) => {
    expectProblem(await send(head(`GET ${projects}`, headers)), 'headers_too_large');
  });

  test('with a long target get 431 headers_too_large', async () => {
    expectProblem(await send(head(`GET ${projects}?user_hash=${'a'.repeat(20_000)}`)), 'headers_too_large');
  });

  test('with the longest valid user_hash are accepted', async () => {
    const response = await send(head(`GET ${projects}?user_hash=${'a'.repeat(1_024)}`, credentials()));
    expect(response.status).toBe(200);
  });
});

describe('a slow client', () => {
  test.each<[string, string]>([
    ['whose headers do not end', `GET ${projects} HTTP/1.1\r\nHost: service\r\n`],
    ['whose request line does not end', 'GET /compa'],
  ])('%s gets 408 within the header timeout', async (_how, text) => {
    const response = await send(text);
    expectProblem(response, 'request_timeout');
    expect(response.afterMs).toBeGreaterThan(headersTimeoutMs * 0.9);
  });

  test('that sends a header from time to time gets 408 all the same', async () => {
    const startedAt = performance.now();
    const socket = open();
    const received = readAll(socket);
    socket.write(`GET ${projects} HTTP/1.1\r\nHost: service\r\n`);
    const drip = setInterval(() => socket.write('X-Drip: a\r\n'), 50);
    const response = parse(await received, performance.now() - startedAt);
    clearInterval(drip);
    expectProblem(response, 'request_timeout');
  });

  test('that sends nothing is disconnected', async () => {
    await readAll(open());
  });

  test('whose body does not end gets 408 within the request timeout', async () => {
    const response = await send(
      head(`PUT ${create}`, `${credentials()}Content-Type: application/json\r\nContent-Length: 100\r\n`) +
        '{"project_id"',
    );
    expectProblem(response, 'request_timeout');
  });
});
