import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import Ajv2020 from 'ajv/dist/2020';

import { problem } from '../../src/http/errors/problem';
import { isJsonObject, type JsonObject } from '../../src/http/openapi/json';
import { openApiDocument } from '../support/openapi/document';
import { tapResponses } from '../support/openapi/tap-responses';
import { takeViolations } from '../support/openapi/violations';
import { watchResponses } from '../support/openapi/watched-responses';
import {
  responseViolations,
  type ReceivedResponse,
  type ReceivedRequest,
} from '../support/openapi/validate-response';
import { until } from '../support/until';
import { errorCatalog } from '../support/errors';

test('every schema of the document is valid JSON Schema', () => {
  const ajv = new Ajv2020();
  const schemas: JsonObject[] = [];
  const collect = (value: unknown, name = ''): void => {
    if (Array.isArray(value)) for (const each of value) collect(each);
    if (!isJsonObject(value) || name === 'example' || name === 'examples') return;
    if (isJsonObject(value['schema'])) schemas.push(value['schema']);
    for (const [member, each] of Object.entries(value)) collect(each, member);
  };
  collect(openApiDocument);
  schemas.push(...Object.values(openApiDocument.components.schemas));
  expect(schemas.length).toBeGreaterThan(100);
  for (const schema of schemas)
    expect([schema, ajv.validateSchema(schema), ajv.errors]).toEqual([schema, true, null]);
});

/** The check that API tests make of every response, applied to undocumented responses. */
const list: ReceivedRequest = { method: 'GET', target: '/company/integration/get/projects?limit=1' };
const create: ReceivedRequest = { method: 'PUT', target: '/company/integration/contributions/create' };
const view: ReceivedRequest = { method: 'PUT', target: '/company/integration/stories/1/views' };

const requestId = 'request-1';

/** Examples of all required headers of a response to a verified key pair. */
function authenticatedHeaders(): Record<string, string> {
  const { headers = {} } =
    openApiDocument.paths['/company/integration/get/projects']!['get']!.responses['200']!;
  return Object.fromEntries(
    Object.keys(headers).flatMap((name) => {
      const component = openApiDocument.components.headers[name];
      return component?.['required'] === true ? [[name.toLowerCase(), String(component['example'])]] : [];
    }),
  );
}

function exampleOf(path: string, method: string, status: string): Record<string, unknown> {
  const { content } = openApiDocument.paths[path]![method]!.responses[status]!;
  return content!['application/json']!.example as Record<string, unknown>;
}

const projects = exampleOf('/company/integration/get/projects', 'get', '200');
const [project] = projects['data'] as Record<string, unknown>[];
const created = exampleOf('/company/integration/contributions/create', 'put', '201');
const location = `https://api.test/company/integration/contributions/${String(created['transaction_id'])}`;

const response = (
  status: number,
  body: unknown,
  more: ReceivedResponse['headers'] = {},
): ReceivedResponse => ({
  status,
  headers: withoutAbsent({
    ...authenticatedHeaders(),
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    ...more,
  }),
  body: body === undefined ? '' : JSON.stringify(body),
});
const refusal = (
  code: Parameters<typeof problem>[1],
  changes: Record<string, unknown> = {},
  more: ReceivedResponse['headers'] = {},
): ReceivedResponse => {
  const document = {
    ...problem('https://api.test', code, errorCatalog[code], { detail: 'Because.', requestId }),
    ...changes,
  };
  return {
    status: document.status,
    headers: withoutAbsent({
      'content-type': 'application/problem+json',
      'x-request-id': requestId,
      'cache-control': 'no-store',
      ...more,
    }),
    body: JSON.stringify(document),
  };
};

function withoutAbsent(all: ReceivedResponse['headers']): ReceivedResponse['headers'] {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

describe('documented responses have no violations', () => {
  test.each<[string, ReceivedRequest | undefined, ReceivedResponse]>([
    ['a list', list, response(200, projects)],
    ['an empty list', list, response(200, { data: [], has_more: false, next_cursor: null })],
    ['a list asked for by HEAD', { ...list, method: 'HEAD' }, response(200, undefined)],
    ['a creation', create, response(201, created, { location })],
    ['a replayed creation', create, response(201, created, { location, 'idempotent-replayed': 'true' })],
    ['a response without a body', view, response(204, undefined, { 'content-type': undefined })],
    ['an error', create, refusal('project_not_accepting')],
    ['a path that does not exist', { method: 'GET', target: '/nothing' }, refusal('path_not_found')],
    [
      'a method that a path does not have',
      { method: 'DELETE', target: create.target },
      refusal('method_not_allowed', {}, { allow: 'PUT' }),
    ],
    ['bytes that were not a request', undefined, refusal('malformed_http')],
    [
      'a page for people',
      { method: 'GET', target: '/docs/errors' },
      response(200, undefined, { 'content-type': 'text/html' }),
    ],
    [
      'a redirect to the documentation',
      { method: 'GET', target: '/swagger' },
      response(302, undefined, { location: 'docs/reference' }),
    ],
  ])('%s', (_what, request, received) => {
    expect(responseViolations(request, received)).toEqual([]);
  });
});

describe('undocumented responses', () => {
  test.each<[string, ReceivedRequest | undefined, ReceivedResponse, RegExp]>([
    ['an undocumented member', list, response(200, { ...projects, total: 1 }), /the body.*total/],
    [
      'one further down',
      list,
      response(200, { ...projects, data: [{ ...project, rank: 1 }] }),
      /data\/0.*rank/,
    ],
    [
      'a member of another type',
      list,
      response(200, { ...projects, has_more: 'no' }),
      /has_more must be boolean/,
    ],
    ['a missing member', list, response(200, { data: [], has_more: false }), /next_cursor/],
    [
      'null where it is not documented',
      list,
      response(200, { ...projects, data: [{ ...project, summary: null }] }),
      /summary must be string/,
    ],
    [
      'a time in another form',
      list,
      response(200, { ...projects, data: [{ ...project, created_at: '2026-03-01' }] }),
      /created_at/,
    ],
    [
      'a value outside its enum',
      list,
      response(200, { ...projects, data: [{ ...project, status: 'draft' }] }),
      /status/,
    ],
    ['no JSON', list, { ...response(200, undefined), body: 'projects' }, /no JSON/],
    ['no body', list, response(200, undefined), /no JSON/],
    [
      'another media type',
      list,
      response(200, projects, { 'content-type': 'text/html' }),
      /Content-Type text\/html/,
    ],
    ['an undocumented status', list, response(202, projects), /status is not documented/],
    ['a redirect', list, response(301, undefined, { location: '/' }), /status is not documented/],
    ['a body where there is none', view, response(204, {}), /no body/],
    ['a body after HEAD', { ...list, method: 'HEAD' }, response(200, projects), /HEAD/],
    [
      'an undocumented header',
      list,
      response(200, projects, { 'set-cookie': 'a=b' }),
      /set-cookie is not documented/,
    ],
    ['a missing header', create, response(201, created), /Location is missing/],
    [
      'no request id',
      list,
      response(200, projects, { 'x-request-id': undefined }),
      /X-Request-Id is missing/,
    ],
    ['no environment', list, response(200, projects, { environment: undefined }), /Environment is missing/],
    ['another environment', list, response(200, projects, { environment: 'staging' }), /Environment/],
    [
      'a replay of another kind',
      create,
      response(201, created, { location, 'idempotent-replayed': 'yes' }),
      /Idempotent-Replayed/,
    ],
    [
      'an error code of another operation',
      list,
      refusal('project_not_accepting'),
      /status is not documented/,
    ],
    ['an error code at a status that others have', list, refusal('company_suspended'), /the body: \/code/],
    ['an unknown error code', create, refusal('project_not_accepting', { code: 'project_closed' }), /code/],
    [
      'another status than that of the code',
      create,
      refusal('project_not_accepting', { status: 409.5 }),
      /status/,
    ],
    ['another title', create, refusal('project_not_accepting', { title: 'No' }), /title is another/],
    [
      'another retryable',
      create,
      refusal('project_not_accepting', { retryable: true }),
      /retryable is another/,
    ],
    [
      'a link to another entry',
      create,
      refusal('project_not_accepting', { type: 'https://api.test/docs/errors#x' }),
      /type is another/,
    ],
    [
      'a request id that differs',
      create,
      refusal('project_not_accepting', {}, { 'x-request-id': 'request-2' }),
      /request_id is another/,
    ],
    ['a problem with a stack', create, refusal('internal_error', { stack: 'at …' }), /the body.*stack/],
    [
      'a problem in plain JSON',
      create,
      refusal('internal_error', {}, { 'content-type': 'application/json' }),
      /Content-Type/,
    ],
    ['503 without Retry-After', list, refusal('overloaded'), /Retry-After is missing/],
    [
      '503 with a date in Retry-After',
      list,
      refusal('overloaded', {}, { 'retry-after': 'Sat, 21 Nov 2026 12:00:00 GMT' }),
      /Retry-After/,
    ],
    ['401 without WWW-Authenticate', list, refusal('credentials_invalid'), /WWW-Authenticate is missing/],
    [
      '405 without Allow',
      { method: 'DELETE', target: create.target },
      refusal('method_not_allowed'),
      /Allow is missing/,
    ],
    [
      'a success at an unknown path',
      { method: 'GET', target: '/nothing' },
      response(200, {}),
      /status is not documented/,
    ],
    [
      'a redirect to another host',
      { method: 'GET', target: '/swagger' },
      response(302, undefined, { location: '//evil.example/docs/reference' }),
      /status is not documented/,
    ],
    ['a success for bytes that were not a request', undefined, response(200, {}), /status is not documented/],
    [
      "an operation's error at an unknown path",
      { method: 'GET', target: '/nothing' },
      refusal('scope_missing'),
      /status is not documented/,
    ],
  ])('%s is found', (_what, request, received, found) => {
    const violations = responseViolations(request, received);
    expect(violations.join('\n')).toMatch(found);
  });
});

describe('observing a server', () => {
  test('reports each response with its request, whether pipelined, chunked or rejected by the parser', async () => {
    const server = createServer((req, res) => {
      res.setHeader('X-Path', req.url ?? '');
      if (req.url === '/chunks') {
        res.write('{"a":');
        res.end('1}');
      } else res.end(req.method === 'HEAD' ? undefined : '{}');
    });
    server.on('clientError', (_error, socket) =>
      socket.end('HTTP/1.1 400 Bad\r\nContent-Length: 2\r\n\r\nno'),
    );
    const heard: [string | undefined, number, string | undefined, string][] = [];
    tapResponses(server, (request, { status, headers: { 'x-path': path }, body }) => {
      heard.push([request && `${request.method} ${request.target}`, status, path, body]);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.resume();
    const request = (method: string, target: string) => `${method} ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
    socket.write(
      request('GET', '/1') + request('GET', '/chunks') + request('HEAD', '/3') + request('GET', '/4'),
    );
    await until('the four have their responses', () => heard.length === 4);
    socket.write('nonsense\r\n\r\n');
    await once(socket, 'close');
    server.close();
    expect(heard).toEqual([
      ['GET /1', 200, '/1', '{}'],
      ['GET /chunks', 200, '/chunks', '{"a":1}'],
      ['HEAD /3', 200, '/3', ''],
      ['GET /4', 200, '/4', '{}'],
      [undefined, 400, undefined, 'no'],
    ]);
  });

  test('fails the test that got an undocumented response, for every client', async () => {
    const server = createServer((_req, res) => res.end('{}'));
    watchResponses(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${list.target}`)).text();
    server.close();
    // Violations that are not taken here fail this test in the setup of every test file.
    const violations = takeViolations().join('\n');
    expect(violations).toContain(
      'GET /company/integration/get/projects → 200: the header X-Request-Id is missing',
    );
    expect(takeViolations()).toEqual([]);
  });
});
