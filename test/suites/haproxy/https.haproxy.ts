import { once } from 'node:events';
import http, { type IncomingHttpHeaders } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';

import { clientOf, networkOf, peerOf } from '../../../src/http/request/client-address';
import { canary } from '../../support/canary-requests';
import { addProject } from '../../support/catalogue';
import { type Certificate, makeCertificate } from '../../support/certificate';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { createLeakWatch } from '../../support/leaks';
import { temporaryFolder } from '../../support/program';
import { publicBaseUrl, startService, type TestCompany, type TestService } from '../../support/service';
import { until } from '../../support/until';
import { type Haproxy, startHaproxy } from './haproxy';
import { randomPepper } from '../../support/pepper';

/**
 * The HTTPS rules behind a real haproxy with the configuration of docs/operations/install.md.
 * Forwarding headers from clients have no effect.
 */
const projects = '/company/integration/get/projects';
const create = '/company/integration/contributions/create';
const production = {
  NODE_ENV: 'production',
  METRICS_PORT: 'off',
  CREDENTIAL_PEPPERS: `1:${randomPepper}`,
  PUBLIC_BASE_URL: publicBaseUrl,
  // A busy machine may be slow, and haproxy must not treat the service as down.
  DATABASE_ACQUIRE_TIMEOUT_MS: '20000',
  DATABASE_STATEMENT_TIMEOUT_MS: '20000',
  DATABASE_ANSWER_TIMEOUT_MS: '30000',
};
/** The address of the clients, which differs from haproxy's address. */
const ownAddress = '127.0.0.2';

// Three programs wait for each other, possibly on a slow machine.

let folder: ReturnType<typeof temporaryFolder>;
let certificate: Certificate;
let database: TestDatabase;
let service: TestService;
let haproxy: Haproxy;
let company: TestCompany;
let projectId: number;
/** The header that identifies a test's request among those that reached the service. */
const marker = 'x-test-request';
/** The client address of each marked request that reached the service. */
const marked: { id: string | string[] | undefined; address: string }[] = [];

beforeAll(async () => {
  folder = temporaryFolder();
  certificate = makeCertificate(folder.path);
  database = await createTestDatabase();
  service = await startService({ database, settings: { ...production, TRUSTED_PROXIES: '127.0.0.1/32' } });
  service.server.on('request', (req) => {
    const id = req.headers[marker];
    const { TRUSTED_PROXIES: proxies } = service.config;
    const address = networkOf(clientOf(req, peerOf(req.socket, proxies)).address);
    if (id !== undefined) marked.push({ id, address });
  });
  company = await service.addCompany();
  projectId = await addProject(database.admin);
  haproxy = await startBehind(service);
});
afterAll(async () => {
  await haproxy.stop();
  await service.stop();
  await database.drop();
  folder.remove();
});

type Headers = [name: string, value: string][];

interface HttpResponse {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

const credentials = (): Headers => [
  ['API-Key', company.test.apiKey!],
  ['API-Secret', company.test.apiSecret!],
];

/** Sends a request with exactly these headers, in this case and number. */
async function send(
  scheme: 'http' | 'https',
  headers: Headers,
  { path = projects, method = 'GET', body = '', through = haproxy } = {},
): Promise<HttpResponse> {
  const options = {
    host: '127.0.0.1',
    localAddress: ownAddress,
    path,
    method,
    agent: false,
    headers: [['Host', 'api.test'], ['Content-Length', String(body.length)], ...headers].flat(),
  };
  const request =
    scheme === 'https'
      ? https.request({ ...options, port: through.httpsPort, ca: certificate.ca, servername: 'localhost' })
      : http.request({ ...options, port: through.httpPort });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return {
    status: response.statusCode,
    headers: response.headers,
    body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}

/** A haproxy in front of a service that is ready, so that its first health check succeeds. */
async function startBehind(behind: TestService): Promise<Haproxy> {
  const isReady = async (): Promise<boolean> =>
    (await behind.anonymous.raw('get', '/health/ready')).status === 200;
  await until('the service is ready', isReady);
  const started = await startHaproxy(folder.path, [behind.port, behind.port], certificate);
  const passesOn = async (): Promise<boolean> =>
    (await send('https', [], { path: '/health/live', through: started })).status === 200;
  await until('haproxy passes requests on', passesOn).catch(async (error: unknown) => {
    await started.stop();
    throw new Error(`haproxy does not pass requests on:\n${started.log()}`, { cause: error });
  });
  return started;
}

/** Forged forwarding headers. */
const forgeries: [string, Headers][] = [
  ['nothing', []],
  ['X-Forwarded-Proto: https', [['X-Forwarded-Proto', 'https']]],
  ['X-Forwarded-Proto: http', [['X-Forwarded-Proto', 'http']]],
  ['X-Forwarded-Proto in another case', [['x-fORWARDED-pROTO', 'HTTPS']]],
  [
    'X-Forwarded-Proto twice, https last',
    [
      ['X-Forwarded-Proto', 'http'],
      ['X-Forwarded-Proto', 'https'],
    ],
  ],
  [
    'X-Forwarded-Proto twice, https first',
    [
      ['X-Forwarded-Proto', 'https'],
      ['x-forwarded-proto', 'http'],
    ],
  ],
  ['a list, https last', [['X-Forwarded-Proto', 'http, https']]],
  ['a list, https first', [['X-Forwarded-Proto', 'https,http']]],
  ['X_Forwarded_Proto', [['X_Forwarded_Proto', 'https']]],
  ['Forwarded', [['Forwarded', 'for=127.0.0.1;proto=https;host=evil.example']]],
  ['X-Forwarded-Ssl', [['X-Forwarded-Ssl', 'on']]],
  [
    'that the header of the proxy is for one hop only',
    [
      ['X-Forwarded-Proto', 'https'],
      ['Connection', 'X-Forwarded-Proto'],
    ],
  ],
  [
    'a trusted address',
    [
      ['X-Forwarded-For', '127.0.0.1'],
      ['X-Forwarded-Proto', 'https'],
    ],
  ],
];

describe.each(forgeries)('a client that sends %s', (_what, headers) => {
  test('over plain HTTP gets 403 https_required', async () => {
    const from = service.logLines.length;
    const response = await send('http', [...credentials(), ...headers]);
    expect([response.status, response.body['code']]).toEqual([403, 'https_required']);
    expect(response.headers.location).toBeUndefined();
    const lines = service.logLines.slice(from).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map((line) => line['exposed_api_key'])).toContain(company.test.apiKey);
  });

  test('over TLS is served', async () => {
    expect((await send('https', [...credentials(), ...headers])).status).toBe(200);
  });
});

test('over HTTP/2 forged headers have no effect either', async () => {
  const session = http2.connect(`https://127.0.0.1:${haproxy.httpsPort}`, {
    ca: certificate.ca,
    servername: 'localhost',
  });
  try {
    const stream = session.request({
      ':path': projects,
      ...Object.fromEntries(credentials()),
      'x-forwarded-proto': 'http',
      'x-forwarded-for': '203.0.113.9',
      [marker]: 'http2',
    });
    const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
    expect(headers[':status']).toBe(200);
    expect(marked).toContainEqual({ id: 'http2', address: '127.0.0.1' });
  } finally {
    session.destroy();
  }
});

describe('the logged address of a client', () => {
  test.each<[string, Headers]>([
    ['sends no forwarding header', []],
    ['claims another', [['X-Forwarded-For', '203.0.113.9']]],
    ['claims several', [['x-forwarded-FOR', '203.0.113.9, 127.0.0.1']]],
    [
      'claims several in several headers',
      [
        ['X-Forwarded-For', '203.0.113.9'],
        ['X-Forwarded-For', '203.0.113.10'],
      ],
    ],
    ['claims one in Forwarded', [['Forwarded', 'for=203.0.113.9']]],
    ['claims an invalid address', [['X-Forwarded-For', 'unknown']]],
  ])('is that of its connection to haproxy when it %s', async (id, headers) => {
    const response = await send('https', [...credentials(), [marker, id], ...headers]);
    expect(response.status).toBe(200);
    expect(marked.filter((request) => request.id === id)).toEqual([{ id, address: ownAddress }]);
  });
});

test('links are built from PUBLIC_BASE_URL, whatever Host, X-Forwarded-Host and Forwarded say', async () => {
  const headers: Headers = [
    ...credentials(),
    ['X-Forwarded-Host', 'evil.example'],
    ['X-Forwarded-Port', '81'],
    ['Forwarded', 'host=evil.example'],
  ];
  const body = JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: 'u' });
  const created = await send('https', [...headers, ['Content-Type', 'application/json']], {
    path: create,
    method: 'PUT',
    body,
  });
  expect(created.status).toBe(201);
  expect(created.headers.location).toMatch(new RegExp(`^${publicBaseUrl}/company/`));
  const listed = await send('https', headers);
  expect(JSON.stringify([listed, created])).not.toContain('evil');
  const refused = await send('https', [['X-Forwarded-Host', 'evil.example']]);
  expect(refused.body['type']).toBe(`${publicBaseUrl}/docs/errors#credentials_malformed`);
});

test('a service that does not trust this haproxy rejects its requests, over TLS too', async () => {
  const distrustful = await startService({
    database,
    settings: { ...production, TRUSTED_PROXIES: '192.0.2.0/24' },
  });
  const other = await startBehind(distrustful);
  try {
    for (const [, headers] of forgeries) {
      const response = await send('https', [...credentials(), ...headers], { through: other });
      expect([response.status, response.body['code']]).toEqual([403, 'https_required']);
    }
  } finally {
    await other.stop();
    await distrustful.stop();
  }
});

test('the log of haproxy contains the path, but no query and no secret', async () => {
  const watch = createLeakWatch(canary);
  const path = `${projects}?user_hash=${encodeURIComponent(canary.userHash)}`;
  expect((await send('https', credentials(), { path })).status).toBe(200);
  expect((await send('http', credentials(), { path })).status).toBe(403);
  await until('haproxy has logged both', () => haproxy.log().split(`GET ${projects} `).length > 2);
  watch.look('log of haproxy', haproxy.log());
  expect(watch.found).toEqual([]);
});
