import { randomBytes } from 'node:crypto';

import { operatorSettings, runOnTerminal, runOpsSeparately } from '../support/operator-commands';
import { startService, type TestService } from '../support/service';

/** What all commands have in common. */
let service: TestService;
beforeAll(async () => {
  service = await startService();
  await service.addCompany('Acme');
});
afterAll(() => service.stop());

const ops = (...words: string[]) => runOpsSeparately(words, operatorSettings(service.database));

test.each([
  ['an unknown option', ['keys', 'list', '--wrong'], 2],
  ['a missing argument', ['contributions', 'show'], 2],
  ['an invalid value', ['contributions', 'list', '--limit', '0'], 2],
  [
    'a range that ends before it starts',
    ['contributions', 'list', '--from', '2026-02-01', '--to', '2026-01-01'],
    2,
  ],
  ['something that does not exist', ['contributions', 'find', 'nothing'], 1],
])('with --json, %s is an error as JSON', async (_what, words, exitCode) => {
  const { stdout, stderr, exitCode: code } = await ops(...words, '--json');
  expect(stdout).toBe('');
  expect(JSON.parse(stderr)).toEqual({
    error: { message: expect.any(String) as string, exit_code: exitCode },
  });
  expect(code).toBe(exitCode);
  const text = await ops(...words);
  expect([text.exitCode, text.stderr.startsWith('{')]).toEqual([exitCode, false]);
});

test('whoami shows the login that the audit log records, and the database', async () => {
  const { stdout } = await ops('whoami', '--json');
  const { rows } = await service.database.admin.query<{ database: string }>(
    'SELECT current_database() AS database',
  );
  expect(JSON.parse(stdout)).toMatchObject({
    ...rows[0],
    production: false,
    login: expect.any(String) as string,
  });
  await ops('companies', 'create', 'Other');
  const { rows: acts } = await service.database.admin.query<{ login: string }>(
    'SELECT database_role AS login FROM operator_actions ORDER BY position DESC LIMIT 1',
  );
  expect(JSON.parse(stdout)).toMatchObject(acts[0]!);
});

test('the former word for contributions works, and help does not show it', async () => {
  expect((await ops('transactions', 'list', '--json')).stdout).toBe(
    (await ops('contributions', 'list', '--json')).stdout,
  );
  expect((await ops('--help')).stdout).not.toContain('transactions');
});

test('a terminal of 80 columns shows the scopes and the expiry of key pairs', async () => {
  await service.companies.create('A company with a long name');
  const words = ['--expires-in-days', '90', '--for', 'sdk'];
  expect(await ops('keys', 'issue', 'production', 'A company with a long name', ...words)).toMatchObject({
    exitCode: 0,
  });
  const { stdout } = await runOnTerminal(['keys', 'list'], operatorSettings(service.database), 80);
  const [heading = '', ...rows] = stdout.split('\n').filter((line) => line !== '');
  expect(heading).toMatch(/^API-KEY +EXPIRES +SCOPES/);
  expect(rows.some((row) => /cpk_production_\w{22} +20\d\d-/.test(row))).toBe(true);
});

test('on a terminal, a change in production is marked', async () => {
  const production = {
    ...operatorSettings(service.database),
    NODE_ENV: 'production',
    PUBLIC_BASE_URL: 'https://api.example.org/company/integration',
    CREDENTIAL_PEPPERS: `1:${randomBytes(32).toString('base64url')}`,
  };
  const create = ['companies', 'create'];
  const marked = await runOnTerminal([...create, 'One'], production, 80);
  expect(marked).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/^PRODUCTION: database \S+ at /) as string,
  });
  for (const [words, settings] of [
    [[...create, 'Two', '--dry-run'], production],
    [['companies', 'list'], production],
    [[...create, 'Three'], operatorSettings(service.database)],
  ] as const)
    expect((await runOnTerminal(words, settings, 80)).stderr).not.toContain('PRODUCTION');
});
