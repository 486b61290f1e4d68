import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { examine } from '../../src/operator/cli/doctor/doctor';
import {
  type Finding,
  judgeConnection,
  judgeNotifications,
  judgeServiceRole,
} from '../../src/operator/cli/doctor/findings';
import { judgeHttps } from '../../src/operator/cli/doctor/tls-findings';
import { loadConfig } from '../../src/config';
import type { ConnectionProbe } from '../../src/db/pool/connection-probe';
import { hasOpenssl, makeCertificate } from '../support/certificate';
import type { Transport } from '../../src/db/pool/transport';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { operate } from '../support/operations';
import { temporaryFolder } from '../support/program';
import { randomPepper } from '../support/pepper';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
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
  const other = await createTestDatabase();
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

describe('HTTPS', () => {
  const production = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://somebody@127.0.0.1/nothing',
    CREDENTIAL_PEPPERS: `1:${randomPepper}`,
    PUBLIC_BASE_URL: 'https://localhost',
  };
  const judge = (settings: Record<string, string>, now?: Date): string[] =>
    judgeHttps(loadConfig({ ...production, ...settings }), now).map(
      ({ check, status }) => `${check} ${status}`,
    );

  test.each<[string, Record<string, string>, string[]]>([
    ['nothing in production', {}, ['https problem']],
    ['nothing in development', { NODE_ENV: 'development' }, ['https problem']],
    ['plain HTTP that is allowed', { NODE_ENV: 'development', ALLOW_PLAIN_HTTP: 'on' }, ['https ok']],
    ['plain HTTP that is allowed in production', { ALLOW_PLAIN_HTTP: 'on' }, ['https warning']],
    [
      'plain HTTP that is allowed for other machines',
      { NODE_ENV: 'development', ALLOW_PLAIN_HTTP: 'on', HOST: '0.0.0.0' },
      ['https warning'],
    ],
    ['a proxy', { TRUSTED_PROXIES: '10.0.0.0/8' }, ['https ok']],
    [
      'a file that is not there',
      { TLS_CERTIFICATE_FILE: '/nowhere.pem', TLS_PRIVATE_KEY_FILE: '/nowhere.pem' },
      ['https: certificate problem'],
    ],
  ])('%s is judged', (_what, settings, expected) => {
    expect(judge(settings)).toEqual(expected);
  });

  const withCertificate = hasOpenssl() ? test : test.skip;
  withCertificate('a certificate is judged by its time and its name', () => {
    const folder = temporaryFolder();
    const { certificateFile, privateKeyFile } = makeCertificate(folder.path);
    const files = { TLS_CERTIFICATE_FILE: certificateFile, TLS_PRIVATE_KEY_FILE: privateKeyFile };
    const end = Date.parse(new X509Certificate(readFileSync(certificateFile)).validTo);
    const before = (days: number): Date => new Date(end - days * 86_400_000);
    expect(judge(files, before(1))).toEqual(['https: certificate warning']);
    expect(judge(files, before(-1))).toEqual(['https: certificate problem']);
    expect(judge(files, before(10))).toEqual(['https: certificate problem']);
    expect(judge({ ...files, PUBLIC_BASE_URL: 'https://elsewhere.example.org' })).toEqual([
      'https: certificate warning',
      'https: name warning',
    ]);
    for (const [base, expected] of [
      ['https://127.0.0.1', 1],
      ['https://[::1]:8443', 2],
    ] as const) {
      expect(judge({ ...files, PUBLIC_BASE_URL: base })).toHaveLength(expected);
    }
    folder.remove();
  });
});

describe('a connection', () => {
  const healthy: ConnectionProbe = {
    role: 'contribution_service',
    isSuperuser: false,
    serverVersion: 180_000,
    isStandby: false,
    databaseIdentity: 'contribution 1 1',
    isEncrypted: true,
    isLocal: false,
    clockAheadMs: 3,
    clockUncertaintyMs: 1,
    isPooled: false,
    mayCreateTemporaryTables: false,
  };
  const statusesOf = (
    changes: Partial<ConnectionProbe>,
    requiresEncryption = false,
    transport: Transport = 'verified',
  ): string[] =>
    judgeConnection('service', { ...healthy, ...changes }, transport, requiresEncryption)
      .filter(({ status }) => status !== 'ok')
      .map(({ check, status }) => `${check} ${status}`);

  test.each<[string, Partial<ConnectionProbe>, string[]]>([
    ['nothing', {}, []],
    ['an old version', { serverVersion: 140_011 }, ['service: version problem']],
    ['a standby', { isStandby: true }, ['service: primary problem']],
    ['a clock a little off', { clockAheadMs: -2_500 }, ['service: clock warning']],
    ['a clock far off', { clockAheadMs: 60_000 }, ['service: clock problem']],
    ['a clock that nobody can judge', { clockAheadMs: 2_500, clockUncertaintyMs: 3_000 }, []],
    ['plain text across the network', { isEncrypted: false }, ['service: tls warning']],
    ['plain text on this machine', { isEncrypted: false, isLocal: true }, []],
  ])('%s is judged', (_what, changes, expected) => {
    expect(statusesOf(changes)).toEqual(expected);
  });

  test('an unverified server certificate is a warning', () => {
    expect(statusesOf({}, true, 'encrypted')).toEqual(['service: tls warning']);
  });

  test('an unencrypted connection across the network is a problem in production', () => {
    expect(statusesOf({ isEncrypted: false }, true)).toEqual(['service: tls problem']);
  });

  test('a pooler and temporary tables are warnings', () => {
    expect(judgeNotifications({ ...healthy, isPooled: true }).status).toBe('warning');
    expect(judgeNotifications(healthy).status).toBe('ok');
    const role = judgeServiceRole({ ...healthy, mayCreateTemporaryTables: true }, []);
    expect(role.map(({ status }) => status)).toEqual(['ok', 'warning']);
  });
});
