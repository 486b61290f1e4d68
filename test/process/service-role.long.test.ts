import path from 'node:path';

import { createTestDatabase, type TestDatabase } from '../support/database';
import { runOps } from '../support/operator-commands';
import {
  build,
  killLeftoverProcesses,
  root,
  runProcess,
  RunningService,
  temporaryFolder,
} from '../support/program';
import { randomPepper } from '../support/pepper';

/** The database roles with which the built program starts, and its messages for the others. */
const server = path.join(root, 'dist', 'src', 'server.js');
let database: TestDatabase;
let folder: ReturnType<typeof temporaryFolder>;
let production: Record<string, string>;

beforeAll(async () => {
  await build();
  database = await createTestDatabase();
  folder = temporaryFolder();
  production = {
    NODE_ENV: 'production',
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

test.each([
  ['a superuser', () => database.adminUrl, 'is a superuser'],
  ['the owner of the tables', () => database.ownerUrl, 'contribution_owner of DATABASE_URL owns the tables'],
])('in production the service refuses to run as %s, with advice', async (_who, url, reason) => {
  const { exitCode, output } = await runProcess(process.execPath, [server], {
    ...production,
    DATABASE_URL: url(),
  });
  expect(exitCode).toBe(1);
  expect(output).toContain(reason);
  expect(output).toContain('log in as contribution_service');
  expect(output).not.toContain('    at ');
});

test.each([
  ['remove contributions', 'DELETE ON transactions', 'can delete contributions or events'],
  ['empty the events', 'TRUNCATE ON events', 'can delete contributions or events'],
  ['alter an amount', 'UPDATE (amount_cents) ON transactions', 'can change amounts or events'],
  ['alter an event', 'UPDATE (evidence) ON events', 'can change amounts or events'],
])('in production the service refuses a role that may %s', async (_what, privilege, reason) => {
  await database.admin.query(`GRANT ${privilege} TO contribution_service`);
  try {
    const settings = { ...production, DATABASE_URL: database.url };
    const { exitCode, output } = await runProcess(process.execPath, [server], settings);
    expect([exitCode, output]).toEqual([1, expect.stringContaining(reason)]);
  } finally {
    await database.admin.query(`REVOKE ${privilege} FROM contribution_service`);
  }
});

test('in production the service runs as contribution_service and logs nothing about its role', async () => {
  const service = await RunningService.start({ ...production, DATABASE_URL: database.url });
  expect(await service.signal('SIGTERM')).toBe(0);
  expect(service.output).not.toContain('role');
});

test('in development the service also runs as a superuser, with one warning', async () => {
  const service = await RunningService.start({
    DATABASE_URL: database.adminUrl,
    ALLOW_PLAIN_HTTP: 'on',
    DATA_DIRECTORY: folder.path,
  });
  expect(await service.signal('SIGTERM')).toBe(0);
  const warnings = service.output.split('\n').filter((line) => line.includes('"level":40'));
  expect(warnings).toEqual([expect.stringContaining('is a superuser')]);
});

test('an operator without a personal login is told to set DATABASE_OPERATOR_URL', async () => {
  const settings = { ...production, DATABASE_URL: database.url };
  const { exitCode, output } = await runOps(['companies', 'create', 'A'], settings);
  expect(exitCode).toBe(1);
  expect(output).toMatch(/permission denied for table \w+\. Nothing changed\. Set DATABASE_OPERATOR_URL/);
  expect(output).not.toContain('    at ');
});

test.each([
  [
    'the owner',
    () => ({ DATABASE_OWNER_URL: database.ownerUrl }),
    /Warning: contribution_owner owns the tables.*Set DATABASE_OPERATOR_URL/,
  ],
  ['an operator', () => ({ DATABASE_OPERATOR_URL: database.operatorUrl }), /^(?!.*Warning)/s],
])(
  'a command that changes data warns when it runs as %s, and a read command does not',
  async (who, login, expected) => {
    const settings = { ...production, DATABASE_URL: database.url, ...login() };
    const { exitCode, output } = await runOps(['companies', 'create', who], settings);
    expect(exitCode).toBe(0);
    expect(output).toMatch(expected);
  },
);
