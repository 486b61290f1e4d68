import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { readSettings } from '../../src/read-settings';
import type { ConnectionProbe } from '../../src/db/pool/connection-probe';
import type { Transport } from '../../src/db/pool/transport';
import {
  judgeConnection,
  judgeNotifications,
  judgeServiceRole,
} from '../../src/operator/cli/doctor/findings';
import { judgeFeed } from '../../src/features/events/feeds.findings';
import { judgeFrozen } from '../../src/operator/cli/doctor/frozen-companies';
import { judgeRetired } from '../../src/features/sandbox/sandbox.findings';
import { judgeStatements } from '../../src/features/bank-statements/bank-statements.findings';
import { judgeHttps } from '../../src/operator/cli/doctor/tls-findings';
import { judgeWebhooks } from '../../src/features/webhooks/webhooks.findings';
import { hasOpenssl, makeCertificate } from '../support/certificate';
import { randomPepper } from '../support/pepper';
import { temporaryFolder } from '../support/program';

describe('HTTPS', () => {
  const production = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://somebody@127.0.0.1/nothing',
    CREDENTIAL_PEPPERS: `1:${randomPepper}`,
    PUBLIC_BASE_URL: 'https://localhost',
  };
  const judge = (settings: Record<string, string>, now?: Date): string[] =>
    judgeHttps(readSettings({ ...production, ...settings }), now).map(
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
    isReadOnly: false,
    noRoom: undefined,
    databaseIdentity: 'contribution 1 1',
    isEncrypted: true,
    isLocal: false,
    clockAheadMs: 3,
    clockUncertaintyMs: 1,
    isPooled: false,
    mayCreateTemporaryTables: false,
    defaults: [],
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
    ['whose sessions are read-only', { isReadOnly: true }, ['service: primary problem']],
    ['on a full disk', { noRoom: 'No space left on device' }, ['service: room problem']],
    ['nothing', {}, []],
    ['an old version', { serverVersion: 140_011 }, ['service: version problem']],
    ['a standby', { isStandby: true }, ['service: primary problem']],
    ['a slightly wrong clock', { clockAheadMs: -2_500 }, ['service: clock warning']],
    ['a very wrong clock', { clockAheadMs: 60_000 }, ['service: clock problem']],
    ['a clock that cannot be checked', { clockAheadMs: 2_500, clockUncertaintyMs: 3_000 }, []],
    ['plain text across the network', { isEncrypted: false }, ['service: tls warning']],
    ['plain text on this machine', { isEncrypted: false, isLocal: true }, []],
  ])('%s is judged', (_what, changes, expected) => {
    expect(statusesOf(changes)).toEqual(expected);
  });

  test('a primary whose sessions are not read-only is called a primary', () => {
    expect(judgeConnection('service', healthy, 'verified', false)).toContainEqual({
      check: 'service: primary',
      status: 'ok',
      detail: 'this server is a primary',
    });
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

test('retired test environments are reported when they can be purged', () => {
  expect(judgeRetired({ count: 0, oldestRetiredAt: null }).status).toBe('ok');
  const finding = judgeRetired({ count: 2, oldestRetiredAt: new Date('2026-11-01T10:00:00Z') });
  expect([finding.status, finding.detail]).toEqual([
    'warning',
    '2 were retired more than 7 days ago, the oldest on 2026-11-01: run sandbox purge to delete their data',
  ]);
});

test('companies that have been frozen for more than 3 days are named', () => {
  const now = new Date('2026-11-29T10:00:00Z');
  const frozen = (name: string, at: string | null) => ({ name, frozenAt: at === null ? null : new Date(at) });
  const recent = [frozen('Acme', '2026-11-27T10:00:00Z'), frozen('Other', null)];
  expect(judgeFrozen(recent, now).status).toBe('ok');
  const finding = judgeFrozen([...recent, frozen('Bank', '2026-11-20T10:00:00Z')], now);
  expect(finding.status).toBe('warning');
  expect(finding.detail).toContain('"Bank" since 2026-11-20. ');
  expect(finding.detail).not.toContain('Acme');
});

test('bank statements that wait for long, fail, have old questions or newer rules are reported', () => {
  const none = { newerDays: 0, failedDays: 0, oldQuestions: 0, lateFiles: 0 };
  const judge = (state: object) =>
    judgeStatements({ ...none, ...state }).map(({ status, detail }) => `${status}: ${detail}`);
  expect(judge({}).map((text) => text.split(':')[0])).toEqual(['ok', 'ok']);
  expect(judge({ newerDays: 3, failedDays: 1 })[0]).toMatch(/^problem: a newer version has compared 3 days/);
  expect(judge({ failedDays: 2, lateFiles: 1 })[0]).toBe(
    'warning: 2 days of accounts could not be compared, and 1 files were not read within an hour: read the log of the service',
  );
  expect(judge({ oldQuestions: 4 })[1]).toMatch(/^warning: 4 days of more than a month ago have a question/);
});

test('feeds without a late event do not claim to have every event, because one may be set aside', () => {
  const blockers = { oldTransactions: [], lockHolders: [], hidden: [] };
  expect(judgeFeed({ lagSeconds: 3 }, blockers)).toMatchObject({ status: 'ok', detail: 'no event is late' });
});

test('late feeds name the sessions that may block them, and what to do', () => {
  const session = 'process 4120 of anna (psql, idle in transaction since 14:28:24 UTC)';
  const blockers = { oldTransactions: [session], lockHolders: [], hidden: [] };
  expect(judgeFeed({ lagSeconds: 71 }, blockers)).toMatchObject({
    status: 'warning',
    detail: `the feeds are 71 s behind, and these open transactions may block them: ${session}. End each with SELECT pg_terminate_backend(pid), unless it is a backup. If no process has DELIVERY=on, set it in one, or run npm run deliver. Read the log of that process`,
  });
  expect(judgeFeed({ lagSeconds: 71 }, { ...blockers, oldTransactions: [] }).detail).toBe(
    'the feeds are 71 s behind. If no process has DELIVERY=on, set it in one, or run npm run deliver. Read the log of that process',
  );
});

test.each([
  [1, '1 endpoint fails'],
  [2, '2 endpoints fail'],
])('%d failing endpoints: the finding says what to do', (failingEndpoints, start) => {
  expect(judgeWebhooks({ failingEndpoints, unverifiedEndpoints: 0, lateEndpoints: [] }).detail).toBe(
    `${start}: tell the partners of webhooks list --failing. webhooks enable ENDPOINT_ID retries an endpoint now`,
  );
});
