import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';

import { createTestDatabase, type TestDatabase } from '../support/database';
import { scrape } from '../support/metrics';
import {
  build,
  freePort,
  killLeftoverProcesses,
  root,
  runProcess,
  RunningService,
  temporaryFolder,
} from '../support/program';
import { randomPepper } from '../support/pepper';

/** Where the built program serves its metrics, and what happens when the port is taken. */
let database: TestDatabase;
let folder: ReturnType<typeof temporaryFolder>;
let settings: Record<string, string>;

beforeAll(async () => {
  await build();
  database = await createTestDatabase();
  folder = temporaryFolder();
  settings = {
    DATABASE_URL: database.url,
    ALLOW_PLAIN_HTTP: 'on',
    PUBLIC_BASE_URL: 'https://api.example.org',
    TRUSTED_PROXIES: '127.0.0.1',
    CREDENTIAL_PEPPERS: `1:${randomPepper}`,
    DATA_DIRECTORY: folder.path,
  };
});
afterAll(async () => {
  await killLeftoverProcesses();
  await database.drop();
  folder.remove();
});

const metricsPort = (output: string): number =>
  Number(/"port":(\d+),"msg":"serving metrics"/.exec(output)?.[1]);

test('with port 0 the log has the actual port, and event loop and memory metrics are served', async () => {
  const service = await RunningService.start({ ...settings, NODE_ENV: 'production', METRICS_PORT: '0' });
  const { value } = await scrape(metricsPort(service.output));
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
  expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  expect(value('contribution_shutting_down')).toBe(0);
  expect(
    value('contribution_http_requests_total', { route: '/health/ready', status: '200' }),
  ).toBeGreaterThan(0);
  expect(await service.signal('SIGTERM')).toBe(0);
});

test('with METRICS_PORT=off no metrics are served', async () => {
  const service = await RunningService.start({ ...settings, METRICS_PORT: 'off' });
  expect(service.output).not.toContain('serving metrics');
  expect(await service.signal('SIGTERM')).toBe(0);
});

describe('a port that is taken', () => {
  const taken = createServer();
  let port: string;
  beforeAll(async () => {
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    port = String((taken.address() as AddressInfo).port);
  });
  afterAll(() => void taken.close());

  test('causes a warning in development, and the service starts', async () => {
    const service = await RunningService.start({ ...settings, METRICS_PORT: port });
    expect(service.output).toContain(`Cannot serve metrics on 127.0.0.1:${port} (EADDRINUSE)`);
    expect(await service.signal('SIGTERM')).toBe(0);
  });

  test('makes startup fail in production, with advice', async () => {
    const { exitCode, output } = await runProcess(
      process.execPath,
      [path.join(root, 'dist', 'src', 'server.js')],
      {
        ...settings,
        NODE_ENV: 'production',
        PORT: String(await freePort()),
        METRICS_PORT: port,
      },
    );
    expect(exitCode).toBe(1);
    expect(output).toContain(
      `Cannot serve metrics on 127.0.0.1:${port} (EADDRINUSE). Set another METRICS_PORT`,
    );
    expect(output).not.toContain('    at ');
  });
});
