import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';

import request from 'supertest';

import { createHttpServer } from '../../src/http/server/http-server';
import { type Certificate, hasOpenssl, makeCertificate } from '../support/certificate';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { watchResponses } from '../support/openapi/watched-responses';
import { publicBaseUrl, startService, type TestCompany, type TestService } from '../support/service';
import { randomPepper } from '../support/pepper';

const projects = '/company/integration/get/projects';
const production = {
  NODE_ENV: 'production',
  CREDENTIAL_PEPPERS: `1:${randomPepper}`,
  PUBLIC_BASE_URL: publicBaseUrl,
};

let database: TestDatabase;
/** A service that trusts no proxy. */
let service: TestService;
let company: TestCompany;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startService({
    database,
    settings: { ...production, TRUSTED_PROXIES: '192.0.2.0/24' },
  });
  company = await service.addCompany();
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

const credentials = () => ({ 'API-Key': company.test.apiKey!, 'API-Secret': company.test.apiSecret! });

test('without NODE_ENV and with an external database, a request without TLS gets 403 too, unless ALLOW_PLAIN_HTTP=on', async () => {
  const statuses: [string, number][] = [];
  for (const allowed of ['off', 'on']) {
    const elsewhere = await startService({ database, settings: { ALLOW_PLAIN_HTTP: allowed } });
    const client = await elsewhere.addPair(company, 'production', ['projects:read']);
    const response = await client.raw('get', projects);
    statuses.push([allowed, response.status]);
    if (allowed === 'off') expect(response.body.code).toBe('https_required');
    await elsewhere.stop();
  }
  expect(statuses).toEqual([
    ['off', 403],
    ['on', 200],
  ]);
});

describe('a request without TLS in production', () => {
  test.each<[string, 'get' | 'put' | 'delete', string]>([
    ['an operation', 'get', projects],
    ['an operation with a body', 'put', '/company/integration/contributions/create'],
    ['a method that the path does not have', 'delete', projects],
    ['an unknown path', 'get', '/nothing/here'],
    ['a path with a broken encoding', 'get', '/company/integration/get/project/%ff'],
    ['the documentation', 'get', '/docs/errors'],
  ])(
    'for %s gets 403 https_required before any other check and without a redirect',
    async (_what, method, url) => {
      const response = await company.test.raw(method, url);
      expect(response.status).toBe(403);
      expect(response.body).toMatchObject({ code: 'https_required', retryable: false });
      expect(response.get('Location')).toBeUndefined();
      expect(response.get('Environment')).toBeUndefined();
      expect(response.get('Content-Type')).toBe('application/problem+json');
    },
  );

  test('is rejected before its credentials are checked', async () => {
    const response = await service.anonymous.raw('get', projects);
    expect([response.status, response.body.code]).toEqual([403, 'https_required']);
  });

  test.each<[string, () => Record<string, string>, boolean]>([
    ['a pair', credentials, true],
    ['a secret alone', () => ({ 'API-Secret': company.test.apiSecret! }), true],
    ['the secret in the place of the key', () => ({ 'API-Key': company.test.apiSecret! }), true],
    ['no credentials', () => ({}), false],
  ])(
    'with %s gets a warning about an exposed secret only when one may have been sent',
    async (_what, headers, says) => {
      const response = await service.anonymous.raw('get', projects).set(headers());
      expect(response.body.code).toBe('https_required');
      expect(response.body.detail).toBe(
        says
          ? 'Use https. This request sent the secret unencrypted: have the key pair revoked and replaced.'
          : 'Use https.',
      );
    },
  );

  test('is logged with the exposed key and without the secret', async () => {
    const from = service.logLines.length;
    const response = await company.test.raw('get', projects);
    const lines = service.logLines.slice(from).map((line) => JSON.parse(line) as Record<string, unknown>);
    const warning = lines.find((line) => 'exposed_api_key' in line);
    expect(warning).toMatchObject({
      level: 40,
      exposed_api_key: company.test.apiKey,
      request_id: response.body.request_id,
    });
    expect(service.logLines.join()).not.toContain(company.test.apiSecret);
  });

  test('with the secret in API-Key is logged without it', async () => {
    await service.anonymous
      .raw('get', projects)
      .set({ 'API-Key': company.production.apiSecret!, 'API-Secret': company.production.apiKey! });
    expect(service.logLines.join()).not.toContain(company.production.apiSecret);
  });

  test('with a part of the secret in API-Key is logged without it', async () => {
    const part = company.test.apiSecret!.slice('cps_test_'.length);
    const from = service.logLines.length;
    await service.anonymous.raw('get', projects).set({ 'API-Key': `cpk_test_${part}` });
    expect(service.logLines.slice(from).join()).not.toContain(part);
  });

  test('without a key is logged without a key', async () => {
    const from = service.logLines.length;
    await service.anonymous.raw('get', projects);
    expect(service.logLines.slice(from).join()).not.toContain('exposed_api_key');
  });

  test.each([
    ['X-Forwarded-Proto: https', { 'X-Forwarded-Proto': 'https' }],
    [
      'X-Forwarded-For of a trusted address',
      { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.1' },
    ],
    ['Forwarded: proto=https', { Forwarded: 'for=192.0.2.1;proto=https' }],
    ['X-Forwarded-Ssl: on', { 'X-Forwarded-Ssl': 'on' }],
    ['Front-End-Https: on', { 'Front-End-Https': 'on' }],
    ['X-Forwarded-Host', { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'api.test' }],
    ['X-FORWARDED-PROTO: HTTPS', { 'X-FORWARDED-PROTO': 'HTTPS' }],
    ['a list of https', { 'X-Forwarded-Proto': 'https, https' }],
  ])('with %s from an untrusted address is rejected all the same', async (_what, headers) => {
    const response = await company.test.raw('get', projects).set(headers);
    expect(response.body.code).toBe('https_required');
  });

  test.each(['/health/live', '/health/ready'])('is served by %s', async (url) => {
    expect((await service.anonymous.raw('get', url)).status).toBe(200);
  });
});

describe('a request from a trusted proxy', () => {
  let proxied: TestService;
  beforeAll(async () => {
    proxied = await startService({
      database,
      settings: { ...production, TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.1/32' },
    });
  });
  afterAll(() => proxied.stop());

  test.each([
    ['https', 200],
    ['HTTPS', 200],
    ['http, https', 200],
    ['http,https', 200],
    ['https, http', 403],
    ['https,', 403],
    ['http', 403],
    ['httpss', 403],
    ['', 403],
  ])(
    'with X-Forwarded-Proto "%s" gets %d, because only the last entry is from the proxy',
    async (value, status) => {
      const response = await proxied.anonymous
        .raw('get', projects)
        .set({ ...credentials(), 'X-Forwarded-Proto': value });
      expect(response.status).toBe(status);
      // RFC 6797 7.2: never over plain HTTP.
      const hsts = response.get('Strict-Transport-Security');
      expect(hsts).toBe(status === 200 ? 'max-age=31536000; includeSubDomains' : undefined);
    },
  );

  test.each([
    ['https last', 200, ['http', 'https']],
    ['https first', 403, ['https', 'http']],
  ])('that sends X-Forwarded-Proto twice, %s, gets %d', async (_what, status, values) => {
    const response = await proxied.anonymous
      .raw('get', projects)
      .set(credentials())
      .set('x-FORWARDED-proto', values as unknown as string);
    expect(response.status).toBe(status);
  });

  test('without X-Forwarded-Proto gets 403', async () => {
    const response = await proxied.anonymous.raw('get', projects).set(credentials());
    expect(response.body.code).toBe('https_required');
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === '::1'),
  );
  (hasIpv6 ? test : test.skip)(
    'is recognised on a socket for both families, where IPv4 addresses are written as IPv6',
    async () => {
      const server = listenLike(proxied);
      server.listen(0, '::');
      await once(server, 'listening');
      try {
        const { port } = server.address() as AddressInfo;
        const get = (host: string) =>
          request(`http://${host}:${port}`)
            .get(projects)
            .set({ ...credentials(), 'X-Forwarded-Proto': 'https' });
        expect((await get('127.0.0.1')).status).toBe(200);
        // ::1 is not in the configured ranges.
        expect((await get('[::1]')).status).toBe(403);
      } finally {
        server.close();
      }
    },
  );
});

const canMakeCertificates = hasOpenssl();
if (!canMakeCertificates) process.stdout.write('direct TLS is not tested: there is no openssl here\n');

(canMakeCertificates ? describe : describe.skip)('direct TLS', () => {
  let folder: string;
  let certificate: Certificate;
  let server: Server;
  let port: number;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'contribution-tls-'));
    certificate = makeCertificate(folder);
    server = listenLike(service, certificate);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  async function responseOver(
    headers: Record<string, string | string[]>,
    toPort = port,
  ): Promise<IncomingMessage> {
    const { ca } = certificate;
    return new Promise((resolve, reject) => {
      https
        .get({ port: toPort, host: '127.0.0.1', path: projects, ca, agent: false, headers }, (response) => {
          response.resume();
          resolve(response);
        })
        .on('error', reject);
    });
  }

  const statusOver = async (...parameters: Parameters<typeof responseOver>): Promise<number | undefined> =>
    (await responseOver(...parameters)).statusCode;

  test('is accepted, and the client shall use only TLS from then on', async () => {
    const { statusCode, headers } = await responseOver(credentials());
    expect([statusCode, headers['strict-transport-security']]).toEqual([
      200,
      'max-age=31536000; includeSubDomains',
    ]);
  });

  test('is enough, whatever X-Forwarded-Proto says', async () => {
    expect(await statusOver({ ...credentials(), 'X-Forwarded-Proto': 'http' })).toBe(200);
  });

  test.each<[string, number, Record<string, string | string[]>]>([
    ['says that its client came with https', 200, { 'X-Forwarded-Proto': 'https' }],
    ['says that its client came without', 403, { 'X-Forwarded-Proto': 'http' }],
    ['says both, https first', 403, { 'X-Forwarded-Proto': ['https', 'http'] }],
    ['sends no forwarding header, as a TCP proxy', 200, {}],
  ])('from a trusted proxy that %s gets %d', async (_what, status, headers) => {
    const proxied = await startService({
      database,
      settings: { ...production, TRUSTED_PROXIES: '127.0.0.1/32' },
    });
    const behind = listenLike(proxied, certificate);
    behind.listen(0, '127.0.0.1');
    await once(behind, 'listening');
    try {
      const { port: proxiedPort } = behind.address() as AddressInfo;
      expect(await statusOver({ ...credentials(), ...headers }, proxiedPort)).toBe(status);
    } finally {
      behind.close();
      await proxied.stop();
    }
  });

  test('rejects plain HTTP: nothing is served on that port', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => undefined);
    await once(socket, 'close');
    expect(Buffer.concat(chunks).toString('latin1')).not.toContain('HTTP/1.1 200');
  });

  test('closes a connection without a handshake within the header timeout', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    // Without that timeout, it would stay open.
    await once(socket, 'close');
  });
});

/** Another listener in front of the same service. */
function listenLike(behind: TestService, tls?: { certificateFile: string; privateKeyFile: string }): Server {
  const { server } = createHttpServer(behind.container.app, {
    publicBaseUrl,
    headersTimeoutMs: 300,
    requestTimeoutMs: 1_000,
    tls,
    ...behind.container.serverHooks,
  });
  watchResponses(server);
  return server;
}
