import { examine } from '../../src/operator/cli/doctor/doctor';
import type { Finding } from '../../src/operator/cli/doctor/findings';
import { loadConfig } from '../../src/config';
import { citusSettings, isCitus } from '../support/citus/databases';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { operate } from '../support/operations';
import { randomPepper } from '../support/pepper';
import { setTimeouts } from '../support/pooler';

/** A database as `npm run migrate` leaves it. On Citus, it also sets the limits of the role. */
async function createMigrated(): Promise<TestDatabase> {
  const created = await createTestDatabase();
  if (isCitus) await setTimeouts(created.url, citusSettings);
  return created;
}

let database: TestDatabase;
beforeEach(async () => {
  database = await createMigrated();
});
afterEach(() => database.drop());

/** The doctor's problems and warnings, by check. */
async function problems(
  settings: Record<string, string> = {},
  wanted: Finding['status'] = 'problem',
): Promise<Record<string, string>> {
  const config = loadConfig({
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
    DATABASE_OPERATOR_URL: database.operatorUrl,
    ALLOW_PLAIN_HTTP: 'on',
    CREDENTIAL_PEPPERS: `1:${randomPepper}`,
    ...(isCitus ? citusSettings : {}),
    ...settings,
  });
  const service = config.DATABASE_URL ?? '';
  const findings = await examine(config, {
    service,
    owner: config.DATABASE_OWNER_URL,
    operator: config.DATABASE_OPERATOR_URL,
    notifications: service,
  });
  expect(findings.length).toBeGreaterThan(1);
  return Object.fromEntries(
    findings.filter(({ status }) => status === wanted).map(({ check, detail }) => [check, detail]),
  );
}

test('a migrated database with its three roles has no problem', async () => {
  expect(await problems()).toEqual({});
});

test('an unreachable server is reported with the setting to check', async () => {
  const nowhere = 'postgres://nobody@127.0.0.1:1/nothing';
  expect(await problems({ DATABASE_URL: nowhere })).toEqual({
    'service: connection': expect.stringContaining('check DATABASE_URL'),
  });
});

test('settings that name different databases are reported', async () => {
  const other = await createMigrated();
  try {
    expect(await problems({ DATABASE_URL: other.url })).toEqual({
      'owner: same database': expect.stringContaining('different databases'),
      'operator: same database': expect.stringContaining('different databases'),
    });
  } finally {
    await other.drop();
  }
});

test('missing migrations are reported with the command to run', async () => {
  await database.admin.query('DELETE FROM knex_migrations WHERE id = (SELECT max(id) FROM knex_migrations)');
  expect(await problems()).toEqual({ migrations: expect.stringContaining('npm run migrate') });
});

test('swapped roles of the service and the owner are reported', async () => {
  expect(await problems({ DATABASE_URL: database.ownerUrl })).toEqual({
    'service: role': expect.stringContaining('owns the tables'),
  });
  expect(Object.keys(await problems({ DATABASE_OWNER_URL: database.url }))).toEqual(
    expect.arrayContaining(['owner: role']),
  );
});

test.each<[string, () => Record<string, string>, Finding['status'], string]>([
  [
    'the owner, in the place of an operator',
    () => ({ DATABASE_OPERATOR_URL: database.ownerUrl }),
    'problem',
    'owns the tables',
  ],
  [
    'the owner, for want of an operator',
    () => ({ DATABASE_OPERATOR_URL: '' }),
    'warning',
    'Set DATABASE_OPERATOR_URL',
  ],
  [
    'no member of the group',
    () => ({ DATABASE_OPERATOR_URL: database.url }),
    'problem',
    'GRANT contribution_operator TO contribution_service',
  ],
])('commands that would run as %s are reported', async (_who, settings, status, words) => {
  expect(await problems(settings(), status)).toMatchObject({
    'operator: role': expect.stringContaining(words),
  });
});

test("an operator's machine needs no DATABASE_OWNER_URL", async () => {
  expect(await problems({ DATABASE_OWNER_URL: '' })).toEqual({});
  await database.admin.query('DELETE FROM knex_migrations WHERE id = (SELECT max(id) FROM knex_migrations)');
  expect(await problems({ DATABASE_OWNER_URL: '' })).toEqual({
    migrations: expect.stringContaining('npm run migrate'),
  });
});

test("a missing privilege of the service's role is reported", async () => {
  await database.admin.query('REVOKE ALL ON events FROM contribution_service');
  await database.admin.query(
    'REVOKE INSERT (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence) ON events FROM contribution_service',
  );
  await database.admin.query('REVOKE DELETE ON project_figure_changes FROM contribution_service');
  const problem = (await problems())['service: privileges'];
  expect(problem).toContain('INSERT ON events');
  expect(problem).toContain('DELETE ON project_figure_changes');
});

test('a missing pepper that a live pair needs is reported', async () => {
  await operate(
    database,
    async ({ companies, keyPairs }) => {
      await companies.create('Acme');
      await keyPairs.issue({
        company: 'Acme',
        kind: 'test',
        scopes: ['projects:read'],
        expiresAt: undefined,
      });
    },
    'write',
    new Map([[5, Buffer.from('a pepper of another machine')]]),
  );
  expect(await problems()).toEqual({ peppers: expect.stringContaining('pepper version 5') });
});
