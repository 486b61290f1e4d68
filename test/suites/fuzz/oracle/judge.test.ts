import http from 'node:http';

import type { FuzzCase, Transcript } from '../cases/case';
import { readOpenApiDocument } from '../operations';
import { createInProcessExchange } from '../service/in-process';
import { createJudge } from './judge';

const judge = createJudge(readOpenApiDocument());
const target = '/company/integration/projects-stories';
const request = { method: 'GET', target, requestId: 'fuzz-1' };
const problem = (status: number, code: string, id: string, more: object = {}) =>
  JSON.stringify({
    type: `https://api.example/docs/errors#${code}`,
    title: 'A title',
    status,
    detail: 'A detail',
    code,
    request_id: id,
    retryable: false,
    ...more,
  });

function caseOf(more: Partial<FuzzCase> = {}): FuzzCase {
  const bytes = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a\r\nX-Request-Id: fuzz-1\r\n\r\n`);
  return { index: 1, kind: 'valid', bytes, cuts: [], requests: [request], rest: 'nothing', ...more };
}

/** A response in the service's format, or close to it. */
function response(status: number, body: string, headers: Record<string, string> = {}): string {
  const all = {
    'Content-Type': status < 400 ? 'application/json; charset=utf-8' : 'application/problem+json',
    'X-Request-Id': 'fuzz-1',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Environment: 'test',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n${body}`;
}

const flawsOf = (fuzzCase: FuzzCase, text: string, more: Partial<Transcript> = {}): readonly string[] =>
  judge(fuzzCase, {
    bytes: Buffer.from(text),
    closedByService: false,
    wasReset: false,
    timedOut: false,
    elapsedMs: 1,
    ...more,
  }).flaws;

const list = '{"data":[]}';
const ambiguous = { requests: [], rest: 'refusal', smuggledId: 'smuggled-1' } as const;
const refusal = (id = 'new-id') =>
  response(400, problem(400, 'malformed_http', id), { 'X-Request-Id': id, Connection: 'close' });

describe('a documented response', () => {
  test.each<[string, string]>([
    ['of the operation', response(200, list)],
    ['with a problem of the operation', response(401, problem(401, 'credentials_invalid', 'fuzz-1'))],
    ['by the parser', refusal()],
  ])('%s has no flaw', (_what, text) => {
    expect(flawsOf(caseOf(), text)).toEqual([]);
  });

  test('to a request with ambiguous framing is a rejection that closes the connection', () => {
    expect(flawsOf(caseOf(ambiguous), refusal(), { closedByService: true })).toEqual([]);
  });
});

describe('a corrupted response', () => {
  test.each<[string, string]>([
    ['a crash that was caught', response(500, problem(500, 'internal_error', 'fuzz-1'))],
    ['an undocumented status', response(418, problem(418, 'invalid_request', 'fuzz-1'))],
    ['an undocumented success', response(201, '{"transaction_id":"K7Q20CR5M3V9XHG","status":"pending"}')],
    ['a body with an undocumented member', response(200, '{"data":[],"more":1}')],
    ['a body that lacks a member', response(200, '{}')],
    ['a body that is not JSON', response(200, '{"data":[]')],
    ['a problem of another operation', response(409, problem(409, 'amount_mismatch', 'fuzz-1'))],
    ['a problem with an unknown code', response(400, problem(400, 'unheard_of', 'fuzz-1'))],
    ['a problem under another status', response(400, problem(401, 'credentials_invalid', 'fuzz-1'))],
    [
      'a problem with an undocumented member',
      response(400, problem(400, 'invalid_request', 'fuzz-1', { stack: 'x' })),
    ],
    ['an error page', response(404, '<pre>Cannot GET</pre>', { 'Content-Type': 'text/html' })],
    ['a response to another request', response(200, list, { 'X-Request-Id': 'fuzz-2' })],
    ['a response without an id', response(200, list).replace(/X-Request-Id.*\r\n/, '')],
    [
      'a response without X-Content-Type-Options',
      response(200, list).replace(/X-Content-Type-Options.*\r\n/, ''),
    ],
    [
      'an error that may be cached',
      response(401, problem(401, 'credentials_invalid', 'fuzz-1'), { 'Cache-Control': 'public' }),
    ],
    ['a second response', response(200, list) + refusal()],
    ['no response', ''],
  ])('%s is found', (_what, text) => {
    expect(flawsOf(caseOf(), text)).not.toEqual([]);
  });

  test('a missing response is found', () => {
    expect(flawsOf(caseOf(), '', { timedOut: true })).toContain('no response in time');
  });

  test('a rejection in place of the response to a whole request is found', () => {
    const second = { ...request, requestId: 'fuzz-1-1' };
    const text = refusal() + response(200, list, { 'X-Request-Id': 'fuzz-1-1' });
    expect(flawsOf(caseOf({ requests: [request, second] }), text)).not.toEqual([]);
  });

  test.each<[string, string, Partial<Transcript>]>([
    ['a success', response(200, list), { closedByService: true }],
    ['a rejection that keeps the connection open', refusal(), {}],
    ['two responses', refusal() + refusal(), { closedByService: true }],
    ['a response to the smuggled request', refusal('smuggled-1'), { closedByService: true }],
    ['no response', '', { closedByService: true }],
  ])('to a request with ambiguous framing, %s is found', (_what, text, more) => {
    expect(flawsOf(caseOf(ambiguous), text, more)).not.toEqual([]);
  });
});

test('a response to HEAD without a body is right, even if its request line is unusual', () => {
  const bytes = Buffer.from(`HEAD  ${target}/nowhere  HTTP/1.1\r\nHost: a\r\n\r\n`);
  const text = response(404, problem(404, 'path_not_found', 'fuzz-1'));
  const head = text.slice(0, text.indexOf('\r\n\r\n') + 4);
  expect(flawsOf(caseOf({ requests: [], rest: 'anything', bytes }), head)).toEqual([]);
});

describe('a deliberately broken service', () => {
  test.each<[string, http.RequestListener]>([
    ['ends connections', (req) => req.socket.destroy()],
    ['sends an empty object for every request', (_req, res) => res.end('{}')],
    ['sends the error page of a framework', (_req, res) => res.writeHead(500).end('<pre>TypeError</pre>')],
    ['redirects', (_req, res) => res.writeHead(302, { Location: '/' }).end()],
  ])('that %s is found', async (_what, app) => {
    const exchange = createInProcessExchange(http.createServer(app));
    expect(judge(caseOf(), await exchange(caseOf())).flaws).not.toEqual([]);
  });

  test('that accepts conflicting lengths is found', async () => {
    const server = http.createServer({ insecureHTTPParser: true }, (_req, res) => res.end('{}'));
    const bytes = Buffer.from(
      `PUT ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`,
    );
    const fuzzCase = caseOf({ ...ambiguous, bytes });
    const { flaws } = judge(fuzzCase, await createInProcessExchange(server)(fuzzCase));
    expect(flaws).toContain('the connection stays open after a request with ambiguous framing');
  });
});
