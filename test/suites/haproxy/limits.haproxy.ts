import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { drawKeyPair, type KeyPair } from '../../../src/core/key-pairs/credentials';
import { addProject } from '../../support/catalogue';
import { type Certificate, makeCertificate } from '../../support/certificate';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { temporaryFolder } from '../../support/program';
import { randomPepper } from '../../support/pepper';
import { publicBaseUrl, startService, type TestService } from '../../support/service';
import { until } from '../../support/until';
import { type Haproxy, startHaproxy } from './haproxy';

/**
 * The limits per source in docs/haproxy.cfg, one by one: the sources that they stop, and those that
 * they do not.
 */
const projects = '/company/integration/get/projects';
const create = '/company/integration/contributions/create';

// Two programs wait for each other, possibly on a slow machine.

let folder: ReturnType<typeof temporaryFolder>;
let certificate: Certificate;
let database: TestDatabase;
let service: TestService;
let haproxy: Haproxy;
let projectId: number;
let sourceCount = 0;

/** A source without earlier requests. */
const newSource = (): string => `127.0.1.${(sourceCount += 1)}`;

beforeAll(async () => {
  folder = temporaryFolder();
  certificate = makeCertificate(folder.path);
  database = await createTestDatabase();
  service = await startService({
    database,
    settings: {
      NODE_ENV: 'production',
      METRICS_PORT: 'off',
      CREDENTIAL_PEPPERS: `1:${randomPepper}`,
      PUBLIC_BASE_URL: publicBaseUrl,
      TRUSTED_PROXIES: '127.0.0.1/32',
      DATABASE_ACQUIRE_TIMEOUT_MS: '20000',
      DATABASE_STATEMENT_TIMEOUT_MS: '20000',
      DATABASE_ANSWER_TIMEOUT_MS: '30000',
    },
  });
  projectId = await addProject(database.admin);
  haproxy = await startHaproxy(folder.path, [service.port, service.port], certificate);
  await until(
    'haproxy passes requests on',
    async () => (await send(newSource(), '/health/live')).status === 200,
  );
});
afterAll(async () => {
  await haproxy.stop();
  await service.stop();
  await database.drop();
  folder.remove();
});

interface HttpResponse {
  status: number | undefined;
  retryAfter: string | undefined;
  text: string;
  /** Whether haproxy itself sent it. */
  isOfProxy: boolean;
}

const agents = new Map<string, https.Agent>();

/** As many persistent connections as concurrent requests. */
function agentOf(source: string): https.Agent {
  const agent = agents.get(source) ?? new https.Agent({ keepAlive: true });
  agents.set(source, agent);
  return agent;
}

async function read(outgoing: http.ClientRequest): Promise<HttpResponse> {
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return {
    status: incoming.statusCode,
    retryAfter: incoming.headers['retry-after'],
    text,
    isOfProxy: text.includes('"about:blank"'),
  };
}

function send(localAddress: string, path: string, pair?: KeyPair, body?: object): Promise<HttpResponse> {
  const content = body === undefined ? '' : JSON.stringify(body);
  const outgoing = https.request({
    host: '127.0.0.1',
    servername: 'localhost',
    port: haproxy.httpsPort,
    ca: certificate.ca,
    localAddress,
    agent: agentOf(localAddress),
    method: body === undefined ? 'GET' : 'PUT',
    path,
    headers: {
      'Content-Length': content.length,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(pair === undefined ? {} : { 'API-Key': pair.apiKey, 'API-Secret': pair.apiSecret }),
    },
  });
  outgoing.end(content);
  return read(outgoing);
}

/** Sends this number of requests with this concurrency. */
async function sendMany(
  count: number,
  atOnce: number,
  one: () => Promise<HttpResponse>,
): Promise<HttpResponse[]> {
  const responses: HttpResponse[] = [];
  const worker = async (): Promise<void> => {
    for (; count > 0;) {
      count -= 1;
      responses.push(await one());
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return responses;
}

/**
 * Sends until haproxy rejects, and a few more. Slow machines need more than the limit, because
 * haproxy counts over ten seconds.
 */
async function sendUntilRefused(
  atOnce: number,
  one: () => Promise<HttpResponse>,
): Promise<{ passed: number; refused: HttpResponse[] }> {
  const responses: HttpResponse[] = [];
  const worker = async (): Promise<void> => {
    while (responses.length < 10_000) {
      const response = await one();
      responses.push(response);
      if (response.isOfProxy) return;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { passed: responses.length - ofProxy(responses).length, refused: ofProxy(responses) };
}

const ofProxy = (responses: readonly HttpResponse[]): HttpResponse[] =>
  responses.filter(({ isOfProxy }) => isOfProxy);

async function newPair(): Promise<KeyPair> {
  const { apiKey, apiSecret } = (await service.addCompany()).production;
  return { apiKey: apiKey!, apiSecret: apiSecret! };
}

function expectTooMany(response: HttpResponse | undefined): void {
  expect(response).toMatchObject({ status: 429, retryAfter: '10', isOfProxy: true });
  expect(JSON.parse(response!.text)).toMatchObject({ status: 429, code: 'rate_limited', retryable: true });
}

describe('a partner', () => {
  test('that starts with 1,000 creates on 1,000 connections has all of them forwarded', async () => {
    const source = newSource();
    const pair = await newPair();
    const body = { project_id: projectId, amount: '1.00', user_hash: 'burst' };
    const responses = await sendMany(1_000, 1_000, () => send(source, create, pair, body));
    expect(ofProxy(responses)).toEqual([]);
    expect(responses.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    agentOf(source).destroy();
  });

  test('that has succeeded may send more than one that has not, as a bank does with 500 completions per second', async () => {
    const source = newSource();
    const pair = await newPair();
    const responses = await sendMany(4_000, 20, () => send(source, `${projects}?limit=1`, pair));
    expect(ofProxy(responses)).toEqual([]);
  });
});

describe('a source that sends requests without an API-Key', () => {
  test('has 300 requests forwarded, then gets 429 with Retry-After, and other sources do not', async () => {
    const source = newSource();
    const partner = await newPair();
    expect((await send(source, projects, partner)).status).toBe(200);
    const { passed, refused } = await sendUntilRefused(20, () => send(source, '/docs/limits'));
    expect(passed).toBeGreaterThanOrEqual(300);
    expect(passed).toBeLessThan(600);
    expectTooMany(refused[0]);
    expect((await send(newSource(), '/docs/limits')).status).toBe(200);
    // The partner behind the same NAT.
    expect((await send(source, projects, partner)).status).toBe(200);
  });
});

describe('a source that sends unknown keys', () => {
  test('has 2,000 requests forwarded, then gets 429, and a successful partner at that address does not', async () => {
    const source = newSource();
    const partner = await newPair();
    expect((await send(source, projects, partner)).status).toBe(200);
    const pair = drawKeyPair('production');
    // The key succeeds nowhere, not even where none is required.
    expect((await send(source, '/docs/limits', pair)).status).toBe(200);
    const { passed, refused } = await sendUntilRefused(40, () => send(source, projects, pair));
    // The partner's first request was one of the 2,000.
    expect(passed).toBeGreaterThanOrEqual(1_999);
    expect(passed).toBeLessThan(4_000);
    expectTooMany(refused[0]);
    expect((await send(source, projects, partner)).status).toBe(200);
    expect((await send(newSource(), projects, pair)).isOfProxy).toBe(false);
  });

  test('does not benefit from a partner elsewhere that succeeds with the same key', async () => {
    const [source, elsewhere] = [newSource(), newSource()];
    const partner = await newPair();
    expect((await send(elsewhere, projects, partner)).status).toBe(200);
    const wrong = { ...partner, apiSecret: drawKeyPair('production').apiSecret };
    const { refused } = await sendUntilRefused(40, () => send(source, projects, wrong));
    expectTooMany(refused[0]);
    expect((await send(elsewhere, projects, partner)).status).toBe(200);
  });
});

describe('a source with many connections', () => {
  const open: Socket[] = [];
  let source: string;

  async function openUntil(count: number): Promise<void> {
    while (open.length < count) {
      const socket = connect({ host: '127.0.0.1', port: haproxy.httpPort, localAddress: source });
      open.push(socket);
      // haproxy may close it before it is established.
      await once(socket, 'connect').catch(() => undefined);
      socket.on('error', () => undefined);
    }
  }

  beforeAll(() => {
    source = newSource();
  });
  afterAll(() => {
    for (const socket of open) socket.destroy();
  });

  const ask = () =>
    read(
      http.get({
        host: '127.0.0.1',
        port: haproxy.httpPort,
        localAddress: source,
        path: '/health/live',
        agent: false,
      }),
    );

  test('is served with 1,000', async () => {
    await openUntil(1_000);
    expect((await ask()).status).toBe(200);
  });

  test('gets 429 from 1,200 on, and another source is served', async () => {
    await openUntil(1_210);
    // The kernel establishes a connection before haproxy counts it.
    let response = await ask();
    await until('haproxy counts all connections', async () => {
      if (response.status === 200) response = await ask();
      return response.status !== 200;
    });
    expectTooMany(response);
    expect((await send(newSource(), '/health/live')).status).toBe(200);
  });

  test('is disconnected at once from 2,400 on, and another source is served', async () => {
    await openUntil(2_420);
    await delay(100);
    await expect(ask()).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect((await send(newSource(), '/health/live')).status).toBe(200);
  });
});

describe('behind a load balancer that sends the PROXY protocol, with accept-proxy', () => {
  let behind: Haproxy;

  beforeAll(async () => {
    behind = await startHaproxy(folder.path, [service.port, service.port], certificate, (configuration) =>
      configuration
        .replace(/^( {2}bind .*)$/gm, '$1 accept-proxy')
        .replaceAll('tcp-request connection', 'tcp-request session'),
    );
    await until('haproxy passes requests on', async () => (await status('2001:db8:ff::1')) === 200);
  });
  afterAll(() => behind.stop());

  /** The status of a request from this address according to the load balancer. */
  async function status(address: string): Promise<number> {
    const socket = connect(behind.httpPort, '127.0.0.1');
    socket.write(`PROXY TCP6 ${address} 2001:db8::80 40000 80\r\n`);
    socket.write('GET /health/live HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n');
    let response = '';
    socket.on('data', (data: Buffer) => {
      response += data.toString();
    });
    await once(socket, 'close');
    return Number(response.split(' ')[1]);
  }

  test('a source is an IPv6 /64', async () => {
    const statuses: number[] = [];
    let number = 0;
    const worker = async (): Promise<void> => {
      while (number < 2_000 && !statuses.includes(429))
        statuses.push(await status(`2001:db8:1:2::${(number += 1).toString(16)}`));
    };
    await Promise.all(Array.from({ length: 20 }, worker));
    expect(statuses.filter((each) => each === 200).length).toBeGreaterThanOrEqual(300);
    expect(statuses).toContain(429);
    expect(await status('2001:db8:1:3::1')).toBe(200);
  });
});
