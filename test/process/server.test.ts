import { existsSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';

import type { Demo } from '../../src/startup/demo-file';
import { checkedFetch } from '../support/openapi/checked-fetch';
import { runOps } from '../support/operator-commands';
import {
  build,
  freePort,
  killLeftoverProcesses,
  root,
  runProcess,
  RunningService,
  temporaryFolder,
} from '../support/program';
import { until } from '../support/until';
import { longTest, sample } from '../support/full-run';

/** The built program, started as `npm start` does. */
const server = path.join(root, 'dist', 'src', 'server.js');
let folder: ReturnType<typeof temporaryFolder>;
let settings: Record<string, string>;

beforeAll(async () => {
  await build();
  folder = temporaryFolder();
  settings = { DATA_DIRECTORY: folder.path };
});
afterAll(async () => {
  await killLeftoverProcesses();
  folder.remove();
});

const readDemo = (): Demo => JSON.parse(readFileSync(path.join(folder.path, 'demo.json'), 'utf8')) as Demo;

/** A request by the demo's SDK host or by its bank. */
async function send(service: RunningService, role: string, method: string, address: string, body?: object) {
  const { test } = readDemo().companies.find((company) => company.role === role)!.environments;
  const response = await checkedFetch(service.baseUrl + address, {
    method,
    headers: {
      'API-Key': test.api_key,
      'API-Secret': test.api_secret,
      ...(body ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const isRunning = (processId: number): boolean => {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
};

/** The embedded server's process id, from PostgreSQL's pid file. */
function postgresProcess(): number {
  return Number(readFileSync(path.join(folder.path, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

describe.each(sample(['SIGTERM', 'SIGINT'] as const, 2))('the embedded service, stopped by %s', (signal) => {
  test('serves the request that it prints, and leaves no process running', async () => {
    // Common in the shells of users of hosted databases.
    const shell = { PGSSLMODE: 'require', PGOPTIONS: '-c nothing=1', PGHOST: 'db.example', PGUSER: 'me' };
    const service = await RunningService.start({ ...settings, ...shell });
    const command = /curl -H '(API-Key: \S+)' -H '(API-Secret: \S+)' '(\S+)'/.exec(service.output);
    const headers = [command![1]!, command![2]!].map((header) => header.split(': ') as [string, string]);
    const response = await checkedFetch(command![3]!, { headers });
    expect(response.status).toBe(200);
    expect(((await response.json()) as { data: unknown[] }).data).toHaveLength(4);

    const postgres = postgresProcess();
    expect(isRunning(postgres)).toBe(true);
    expect(await service.signal(signal)).toBe(0);
    expect(isRunning(postgres)).toBe(false);
  });
});

longTest(
  'the demo.json of a first start is readable by its owner only, and the credentials are printed once',
  async () => {
    const fresh = temporaryFolder();
    try {
      const first = await RunningService.start({ DATA_DIRECTORY: fresh.path });
      await first.signal('SIGTERM');
      const file = path.join(fresh.path, 'demo.json');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const demo = JSON.parse(readFileSync(file, 'utf8')) as Demo;
      expect(demo.base_url).toBe(first.baseUrl);
      expect(demo.companies.map(({ role }) => role)).toEqual(['sdk_host', 'partner_bank', 'stranger']);
      const secrets = demo.companies.flatMap(({ environments }) => [
        environments.test,
        environments.production,
      ]);
      expect(secrets).toHaveLength(6);
      for (const { api_secret: secret } of secrets) expect(first.output).toContain(secret);

      const second = await RunningService.start({ DATA_DIRECTORY: fresh.path });
      await second.signal('SIGTERM');
      const production = demo.companies[0]!.environments.production.api_secret;
      expect(second.output).not.toContain(production);
      expect((JSON.parse(readFileSync(file, 'utf8')) as Demo).base_url).toBe(second.baseUrl);
    } finally {
      fresh.remove();
    }
  },
);

longTest('a contribution survives SIGKILL of the service, and the next start serves it', async () => {
  const first = await RunningService.start(settings);
  const created = await send(first, 'sdk_host', 'PUT', '/company/integration/contributions/create', {
    project_id: 1,
    amount: '12.34',
    user_hash: 'survivor',
  });
  expect(created.status).toBe(201);
  await first.signal('SIGKILL');

  const second = await RunningService.start(settings);
  const address = `/company/integration/contributions/${String(created.body['transaction_id'])}`;
  expect((await send(second, 'sdk_host', 'GET', address)).body).toMatchObject({
    status: 'pending',
    amount: '12.34',
  });
  expect((await send(second, 'partner_bank', 'PUT', address, { status: 'completed' })).status).toBe(200);
  expect(await second.signal('SIGTERM')).toBe(0);
});

longTest('a request that is in progress at SIGTERM gets its response', async () => {
  const service = await RunningService.start(settings);
  const responses = Promise.all(
    Array.from({ length: 20 }, () => send(service, 'sdk_host', 'GET', '/company/integration/get/projects')),
  );
  // The first request has its response, so the others have arrived.
  await send(service, 'sdk_host', 'GET', '/company/integration/projects-stories');
  const exitCode = service.signal('SIGTERM');
  expect((await responses).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(await exitCode).toBe(0);
});

longTest(
  'at SIGTERM with busy connections, every request gets its response and the process ends soon',
  async () => {
    const service = await RunningService.start({ ...settings, SHUTDOWN_TIMEOUT_MS: '60000' });
    const statuses: number[] = [];
    const { hostname, port } = new URL(service.baseUrl);
    // A client that sends its next request on the same connection as soon as it has a response.
    const client = async (): Promise<void> => {
      const socket = connect(Number(port), hostname);
      const closed = new Promise((resolve) => socket.on('close', resolve));
      const ask = (): void => void socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
      let mayAsk = true;
      let asked = 0;
      socket.on('connect', () => {
        asked += 1;
        ask();
      });
      socket.on('data', (data: Buffer) => {
        statuses.push(Number(data.toString('latin1').split(' ')[1]));
        mayAsk = !/^Connection: close/im.test(data.toString('latin1'));
        asked -= 1;
        if (!mayAsk) return;
        asked += 1;
        ask();
      });
      socket.on('error', () => undefined);
      await closed;
      expect({ mayAsk, asked }).toEqual({ mayAsk: false, asked: 0 });
    };
    const clients = Promise.all(Array.from({ length: 5 }, client));
    await until('they are at work', () => statuses.length > 50);

    const signalledAt = performance.now();
    expect(await service.signal('SIGTERM')).toBe(0);
    // Requests in progress are terminated after 60 s.
    expect(performance.now() - signalledAt).toBeLessThan(45_000);
    await clients;
    expect(new Set(statuses)).toEqual(new Set([200]));
  },
);

longTest('the service itself serves every picture of the demo', async () => {
  const service = await RunningService.start(settings);
  const { body } = await send(service, 'sdk_host', 'GET', '/company/integration/get/projects');
  const projects = body['data'] as { project_image_url: string }[];
  expect(projects.length).toBeGreaterThanOrEqual(24);
  for (const { project_image_url: url } of projects) {
    expect(url.startsWith(service.baseUrl)).toBe(true);
    const response = await fetch(url);
    expect([response.status, response.headers.get('Content-Type')]).toEqual([
      200,
      'image/svg+xml; charset=utf-8',
    ]);
    expect(await response.text()).toMatch(/^<svg/);
  }
  await service.signal('SIGTERM');
});

longTest.each([
  ['off', false],
  ['on', true],
] as const)(
  'the demo on all addresses with ALLOW_PLAIN_HTTP=%s prints an example request: %p',
  async (allowed, printsRequest) => {
    const service = await RunningService.start({
      ...settings,
      HOST: '0.0.0.0',
      ALLOW_PLAIN_HTTP: allowed,
    });
    await service.signal('SIGTERM');
    expect(service.output.includes('curl')).toBe(printsRequest);
    expect(service.output.includes('or set ALLOW_PLAIN_HTTP=on in a network')).toBe(!printsRequest);
  },
);

describe.each(sample(['creating the database cluster', 'starting PostgreSQL', 'seeding the demo'], 1))(
  'SIGTERM while the first start is %s',
  (step) => {
    longTest('ends the process at once and PostgreSQL with it, and the next start works', async () => {
      const elsewhere = temporaryFolder();
      const starting = await RunningService.launch({ DATA_DIRECTORY: elsewhere.path });
      await until('the step begins', () => starting.output.includes(step));
      expect(await starting.signal('SIGTERM')).toBe(0);
      expect(starting.output).not.toContain('"listening"');
      const pidFile = path.join(elsewhere.path, 'postgres', 'postmaster.pid');
      await until('PostgreSQL ends', () => !existsSync(pidFile));
      const next = await RunningService.start({ DATA_DIRECTORY: elsewhere.path });
      expect(await next.signal('SIGTERM')).toBe(0);
      elsewhere.remove();
    });
  },
);

/** The text of the only log line of a failed start. */
const failureIn = (output: string): unknown =>
  output
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as { level: number }] : []))
    .filter(({ level }) => level === 60);

longTest('startup on a port that is taken fails with a message and leaves no process running', async () => {
  const port = String(await freePort());
  const first = await RunningService.start({ ...settings, PORT: port });
  const elsewhere = temporaryFolder();
  const second = await runProcess(process.execPath, [server], { DATA_DIRECTORY: elsewhere.path, PORT: port });
  elsewhere.remove();
  expect(second.exitCode).toBe(1);
  expect(failureIn(second.output)).toMatchObject([
    { msg: expect.stringContaining(`Cannot listen on 127.0.0.1:${port} (EADDRINUSE)`) as string },
  ]);
  await first.signal('SIGTERM');
});

longTest.each([
  [
    'a certificate that cannot be read',
    { TLS_CERTIFICATE_FILE: '/nowhere', TLS_PRIVATE_KEY_FILE: '/nowhere' },
  ],
])('startup fails on %s and names the setting', async (_what, tls) => {
  const { exitCode, output } = await runProcess(process.execPath, [server], { ...settings, ...tls });
  expect(exitCode).toBe(1);
  expect(output).toContain('TLS_CERTIFICATE_FILE and TLS_PRIVATE_KEY_FILE cannot be used: ENOENT');
});

longTest('production without required settings does not start and lists all of them', async () => {
  const { exitCode, output } = await runProcess(process.execPath, [server], {
    ...settings,
    NODE_ENV: 'production',
  });
  expect(exitCode).toBe(1);
  const problems = ['DATABASE_URL', 'CREDENTIAL_PEPPERS', 'PUBLIC_BASE_URL'].map(
    (name) => `${name}: required in production`,
  );
  expect(failureIn(output)).toMatchObject([{ msg: 'The configuration is invalid', problems }]);
});

test('production with unsafe settings does not start, and the service and the doctor list all of them', async () => {
  const unsafe = {
    NODE_ENV: 'production',
    CREDENTIAL_PEPPERS: `1:${'a'.repeat(32)}`,
    TRUSTED_PROXIES: '0.0.0.0/0',
    PUBLIC_BASE_URL: 'http://api.example.org',
    DATABASE_URL: 'postgres://service:a-password@db.example.org/contributions',
  };
  const started = await runProcess(process.execPath, [server], unsafe);
  const examined = await runOps(['doctor', '--json'], unsafe);
  expect([started.exitCode, examined.exitCode]).toEqual([1, 2]);
  for (const { output } of [started, examined]) {
    for (const name of ['PUBLIC_BASE_URL', 'TRUSTED_PROXIES', 'CREDENTIAL_PEPPERS', 'DATABASE_URL'])
      expect(output).toContain(`${name}: `);
    expect(output).not.toContain('a-password');
    expect(output).not.toContain('aaaaaaaa');
  }
});
