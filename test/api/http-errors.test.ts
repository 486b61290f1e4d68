import type { Response } from 'supertest';

import { listContracts } from '../../src/contracts';
import type { ErrorCode } from '../../src/shared/errors';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { sampleOf } from '../support/error-triggers/sample';
import { documentedOperations } from '../support/openapi/operations';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { publicBaseUrl, startService, type TestCompany, type TestService } from '../support/service';
import { errorCatalog, errorCodes } from '../support/errors';

const projects = '/company/integration/get/projects';
const create = '/company/integration/contributions/create';
const allMethods = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head'] as const;
type Method = (typeof allMethods)[number];

const contracts = listContracts({ minimumCents: 1n, maximumCents: 100n });
const concrete = (path: string) =>
  path.replace('{transaction_id}', 'K7Q20CR5M3V9XHG').replace(/\{\w+\}/, '1');

/** The expected Allow header of each path. */
const allowed = new Map<string, string[]>();
for (const { path, method } of contracts) {
  const methods = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
  allowed.set(path, [...(allowed.get(path) ?? []), ...methods]);
}
const notAllowed = [...allowed].flatMap(([path, methods]) =>
  allMethods
    .filter((method) => !methods.includes(method.toUpperCase()))
    .map((method) => ({ method, path: concrete(path), methods })),
);

let database: TestDatabase;
let proxy: PostgresProxy;
let service: TestService;
let company: TestCompany;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.url);
  // The list of requests would grow between a HEAD and a GET.
  const settings = { SANDBOX_REQUEST_LOG: 'off' };
  service = await startService({ database, databaseUrl: proxy.url, settings });
  company = await service.addCompany();
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  await database.drop();
});

function expectProblem(response: Response, code: ErrorCode): void {
  const { status, title, retryable } = errorCatalog[code];
  expect(response.status).toBe(status);
  expect(response.get('Content-Type')).toBe('application/problem+json');
  expect(response.get('Cache-Control')).toBe('no-store');
  const { detail, request_id: requestId } = response.body as Record<string, unknown>;
  expect(response.body).toMatchObject({
    type: `${publicBaseUrl}/docs/errors#${code}`,
    title,
    status,
    code,
    retryable,
  });
  expect(detail).toMatch(/^[A-Z].{10,}\.$/s);
  expect(requestId).toBe(response.get('X-Request-Id'));
}

describe('an unknown path', () => {
  test.each([
    '/company',
    '/company/integration',
    '/company/integration/',
    '/company/integration/get',
    '/company/integration/get/project',
    '/company/integration/get/project/1/2',
    '/company/integration/Get/Projects',
    '/company/integration/contributions/K7Q20CR5M3V9XHG/complete',
    '/v1/company/integration/get/projects',
    '/health',
    '/favicon.png',
    '/%2e%2e/%2e%2e/etc/passwd',
  ])('%s gets 404 path_not_found with and without credentials', async (path) => {
    expectProblem(await service.anonymous.raw('get', path), 'path_not_found');
    expectProblem(await company.test.raw('get', path), 'path_not_found');
  });

  test.each(allMethods.filter((method) => method !== 'head'))('gets 404 for %s too', async (method) => {
    expectProblem(await company.test.raw(method, '/nothing').send(), 'path_not_found');
  });
});

describe('a method that a path does not have', () => {
  test.each(notAllowed)('$method $path gets 405 with Allow', async ({ method, path, methods }) => {
    const response = await company.test.raw(method, path);
    expect(response.status).toBe(405);
    expect(response.get('Allow')?.split(', ').sort()).toEqual([...methods].sort());
    // A response to HEAD has no body.
    if (method !== 'head') expectProblem(response, 'method_not_allowed');
  });

  test.each<Method>(['get', 'post'])(
    '%s contributions/create is not treated as the lookup of a transaction',
    async (method) => {
      const response = await company.test.raw(method, create);
      expectProblem(response, 'method_not_allowed');
      expect(response.get('Allow')).toBe('PUT');
    },
  );

  test('gets 405 without credentials', async () => {
    expectProblem(await service.anonymous.raw('delete', projects), 'method_not_allowed');
  });
});

describe('HEAD', () => {
  const readable = documentedOperations
    .filter(({ method, path }) => method === 'get' && !path.includes('{'))
    .map((operation) => sampleOf(operation, {}).target);

  test.each([...readable, '/health/live', '/health/ready', '/docs/errors', '/docs', '/openapi.json'])(
    'of %s gets the headers of GET without a body',
    async (path) => {
      const [head, get] = [await company.test.raw('head', path), await company.test.raw('get', path)];
      expect(head.status).toBe(200);
      for (const name of ['Content-Type', 'Cache-Control', 'Environment', 'Content-Length']) {
        expect([name, head.get(name)]).toEqual([name, get.get(name)]);
      }
      expect(head.text).toBeFalsy();
    },
  );

  test('of an unknown resource gets 404 without a body', async () => {
    const response = await company.test.raw('head', '/company/integration/get/project/999999');
    expect(response.status).toBe(404);
    expect(response.text).toBeFalsy();
    expect(response.get('Content-Type')).toBe('application/problem+json');
  });
});

describe('X-Request-Id', () => {
  test.each(['a', '0f6f1f6e-0d0a-4b53-8f0a-0d3e3f5e7a11', 'trace_1.2-3', 'A'.repeat(128)])(
    '%s is echoed in header and problem',
    async (id) => {
      const response = await service.anonymous.raw('get', '/nothing').set('X-Request-Id', id);
      expect(response.get('X-Request-Id')).toBe(id);
      expectProblem(response, 'path_not_found');
    },
  );

  test.each([
    ['empty', ''],
    ['too long', 'A'.repeat(129)],
    ['with spaces', 'a b'],
    ['with a quote', 'a"b'],
    ['with markup', '<script>'],
    ['with a tab', 'a\tb'],
    ['in another alphabet', Buffer.from('идентификатор').toString('latin1')],
    ['with letters beyond ASCII', 'caf\u00e9'],
  ])('%s is replaced by a generated id', async (_how, id) => {
    const response = await service.anonymous.raw('get', '/nothing').set('X-Request-Id', id);
    expect(response.get('X-Request-Id')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expectProblem(response, 'path_not_found');
  });

  test('is on successes as well, and is always unique', async () => {
    const responses = [await company.test.get(projects), await company.test.get(projects)];
    const ids = responses.map((response) => response.get('X-Request-Id'));
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain(undefined);
  });
});

describe('security headers', () => {
  function expectSecurityHeaders(response: Response): void {
    expect(response.get('X-Content-Type-Options')).toBe('nosniff');
    // RFC 6797 7.2: never over plain HTTP. `https.test.ts` tests it over TLS.
    expect(response.get('Strict-Transport-Security')).toBeUndefined();
    expect(response.get('Content-Security-Policy')).toContain(`default-src 'none'`);
    expect(response.get('X-Frame-Options')).toBe('SAMEORIGIN');
    expect(response.get('Referrer-Policy')).toBe('no-referrer');
    expect(response.get('X-Powered-By')).toBeUndefined();
    expect(response.get('Server')).toBeUndefined();
  }

  test.each<[number, Method, string, 'test' | undefined]>([
    [200, 'get', projects, 'test'],
    [200, 'get', '/health/live', undefined],
    [200, 'get', '/docs/errors', undefined],
    [200, 'get', '/openapi.json', undefined],
    [400, 'get', `${projects}?limit=0`, 'test'],
    [400, 'get', '/company/integration/get/project/%ff', 'test'],
    [401, 'get', projects, undefined],
    [404, 'get', '/nothing', undefined],
    [405, 'delete', projects, undefined],
    [415, 'put', create, 'test'],
  ])('are on a %d of %s %s', async (status, method, path, kind) => {
    const response = await (kind ? company[kind] : service.anonymous).raw(method, path);
    expect(response.status).toBe(status);
    expectSecurityHeaders(response);
  });

  test('are on a 500', async () => {
    await database.admin.query('ALTER TABLE stories RENAME TO stories_gone');
    const response = await company.test.raw('get', '/company/integration/get/project/1/stories');
    await database.admin.query('ALTER TABLE stories_gone RENAME TO stories');
    expectProblem(response, 'internal_error');
    expectSecurityHeaders(response);
  });

  test('are on a 503', async () => {
    proxy.refuse();
    const response = await company.test.raw('get', projects);
    proxy.restore();
    expectProblem(response, 'database_unavailable');
    expectSecurityHeaders(response);
  });
});

describe('type of a problem', () => {
  test.each(['evil.example', 'evil.example:8080', 'localhost', '127.0.0.1'])(
    'is a link to the public address when Host is %s',
    async (host) => {
      const response = await service.anonymous
        .raw('get', '/nothing')
        .set({ Host: host, 'X-Forwarded-Host': host, Forwarded: `host=${host}` });
      expectProblem(response, 'path_not_found');
      expect(response.text).not.toContain('evil');
    },
  );

  test('has an entry in the served catalogue for every error code', async () => {
    const { text } = await service.anonymous.raw('get', '/docs/errors').expect(200);
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id) => (errorCodes as readonly string[]).includes(id!))).toEqual([...errorCodes]);
    for (const code of errorCodes) expect(text).toContain(String(errorCatalog[code].status));
  });
});
