import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { type ReceivedResponse, readResponses } from '../suites/fuzz/oracle/responses';
import { codeOf } from '../suites/fuzz/oracle/documented';
import { addProject } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

// Regression tests for findings of `npm run test:suite fuzz`.

const base = '/company/integration';
const create = `${base}/contributions/create`;
const requestTimeoutMs = 800;

let service: TestService;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService({
    settings: { HEADERS_TIMEOUT_MS: '400', REQUEST_TIMEOUT_MS: String(requestTimeoutMs) },
  });
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
});
afterAll(() => service.stop());

const credentials = () => `API-Key: ${company.test.apiKey!}\r\nAPI-Secret: ${company.test.apiSecret!}\r\n`;

function head(requestLine: string, more = ''): string {
  return `${requestLine} HTTP/1.1\r\nHost: service\r\n${more}\r\n`;
}

function creation(userHash: string, more = ''): string {
  const body = JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: userHash });
  const headers = `${credentials()}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}`;
  return head(`PUT ${create}`, headers) + body;
}

async function recorded(userHash: string): Promise<number> {
  const { rows } = await service.database.admin.query(
    'SELECT FROM transactions JOIN users USING (environment_id, user_id) WHERE user_hash = $1',
    [userHash],
  );
  return rows.length;
}

function open(): { socket: Socket; received: () => Buffer; closed: Promise<unknown> } {
  const socket = connect(service.port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  // Closes the connections that the service has not closed.
  const timer = setTimeout(() => socket.destroy(), 5_000);
  const closed = once(socket, 'close').finally(() => {
    clearTimeout(timer);
  });
  return { socket, received: () => Buffer.concat(chunks), closed };
}

/**
 * Sends each piece after the response to the previous one, and reads until the service closes the
 * connection.
 */
async function send(...pieces: string[]): Promise<readonly ReceivedResponse[]> {
  const { socket, received, closed } = open();
  for (const [number, piece] of pieces.entries()) {
    if (number > 0) await once(socket, 'data');
    socket.write(Buffer.from(piece, 'latin1'));
  }
  await closed;
  const { responses, flaw } = readResponses(received(), () => false);
  expect(flaw).toBeUndefined();
  return responses;
}

const outcome = (response: ReceivedResponse): string => codeOf(response) ?? String(response.status);

describe('a create followed by invalid bytes on its connection', () => {
  test.each<[string, string]>([
    ['in the chunks of the next request', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['in the headers of the next request', 'Content-Length: 1\r\nContent-Length: 2\r\n\r\n'],
  ])('%s gets 201, not the rejection of the invalid bytes', async (how, end) => {
    const userHash = how.replaceAll(' ', '-');
    const next = `PUT ${create} HTTP/1.1\r\nHost: service\r\n${credentials()}Content-Type: application/json\r\n${end}`;
    const responses = await send(creation(userHash) + next);
    expect([outcome(responses[0]!), await recorded(userHash)]).toEqual(['201', 1]);
  });
});

describe('a request that gets its response before its body is complete', () => {
  const unauthorized = head(
    `PUT ${create}`,
    'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n',
  );

  test('and whose body turns out to be invalid gets no second response', async () => {
    expect((await send(unauthorized, 'zz\r\n')).map(outcome)).toEqual(['credentials_malformed']);
  });

  test('and whose response closes the connection gets no second response to later bytes', async () => {
    const last = head('GET /nothing', 'Connection: close\r\n');
    expect((await send(`${last}}}}}\r\n\r\n`)).map(outcome)).toEqual(['path_not_found']);
    expect((await send('GET /nothing\r\n\r\nnonsense\r\n\r\n')).map(outcome)).toEqual(['malformed_http']);
  });

  test('and whose body does not end gets no second response, and its connection is closed in time', async () => {
    expect((await send(unauthorized)).map(outcome)).toEqual(['credentials_malformed']);
  });
});

describe('a target that is not a path', () => {
  test.each<[string, string]>([
    ['an authority for a tunnel', 'CONNECT service:443'],
    ['an address without a host', `GET http://${base}/nothing`],
    ['an address with half a host', `GET http://[${base}/nothing`],
    ['a URL with an invalid host', 'GET http://a%b/nothing'],
  ])('%s gets 404 with a problem document', async (_what, line) => {
    const responses = await send(head(line, 'Connection: close\r\n'));
    expect(responses.map(outcome)).toEqual(['path_not_found']);
  });

  test.each<[string, string]>([
    ['a fragment', `${base}/projects-stories#here`],
    ['backslashes', `${base.replaceAll('/', '\\').replace('\\', '/')}/projects-stories`],
    ['backslashes and a fragment', `/company\\integration/projects-stories#`],
  ])('with %s is rejected', async (_what, target) => {
    const [response] = await send(head(`GET ${target}`, `${credentials()}Connection: close\r\n`));
    expect([400, 404]).toContain(response!.status);
  });
});

describe('headers', () => {
  test('with two Host values get 400 malformed_http', async () => {
    const responses = await send(
      head(`GET ${base}/projects-stories`, 'Host: other\r\nConnection: close\r\n'),
    );
    expect(responses.map(outcome)).toEqual(['malformed_http']);
  });

  test.each([
    // Node by itself silently drops headers after the first thousands.
    [150, ['201', '201'], 1],
    [3_000, ['headers_too_large', 'headers_too_large'], 0],
  ])(
    'behind %i others, an Idempotency-Key prevents a second contribution, or nothing is recorded',
    async (count, outcomes, rows) => {
      const userHash = `behind-${count}`;
      const many = `${'a:\r\n'.repeat(count)}Idempotency-Key: ${userHash}\r\nConnection: close\r\n`;
      const body = JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: userHash });
      const length = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      const text = head(`PUT ${create}`, credentials() + length + many) + body;
      const responses = [...(await send(text)), ...(await send(text))];
      expect(responses.map(outcome)).toEqual(outcomes);
      expect(await recorded(userHash)).toBe(rows);
    },
  );
});

test('when there are 3,000, are kept by Node only as far as needed to reject them', async () => {
  // Newer versions of Node reject them in the parser and emit no request.
  let kept = 0;
  const onRequest = ({ rawHeaders }: IncomingMessage): void => {
    kept = rawHeaders.length / 2;
  };
  service.server.once('request', onRequest);
  const responses = await send(head('GET /health/live', 'a:\r\n'.repeat(3_000)));
  expect(responses.map(outcome)).toEqual(['headers_too_large']);
  service.server.off('request', onRequest);
  expect(kept).toBeLessThan(300);
});

test('a compressed body over the limit gets 413, whatever it decompresses to', async () => {
  const nothing = gzipSync('').toString('latin1');
  const body = nothing.repeat(2_000);
  const headers = `${credentials()}Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n`;
  expect((await send(head(`PUT ${create}`, headers) + body)).map(outcome)).toEqual(['body_too_large']);
});

describe('If-None-Match: *', () => {
  test.each([
    `${base}/contributions`,
    `${base}/projects-stories?user_hash=somebody`,
    '/health/live',
    '/health/ready',
  ])('does not cause 304 for %s', async (target) => {
    const [response] = await send(
      head(`GET ${target}`, `${credentials()}If-None-Match: *\r\nConnection: close\r\n`),
    );
    expect(response!.status).toBe(200);
  });
});

describe('a time with a very large number of digits', () => {
  test.each<[number, number]>([
    [9, 200],
    [10, 400],
    [300, 400],
  ])('(%d) gets %d', async (digits, status) => {
    const time = `2026-01-01T00:00:00.${'0'.repeat(digits)}Z`;
    const [response] = await send(
      head(`GET ${base}/contributions?created_from=${time}`, `${credentials()}Connection: close\r\n`),
    );
    expect(response!.status).toBe(status);
  });
});

test('an idle connection without a request is closed in time', async () => {
  const { closed, received } = open();
  await closed;
  expect(readResponses(received(), () => false).responses.length).toBeLessThan(2);
});
