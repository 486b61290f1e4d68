import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { inOperatorTransaction } from '../../src/db/operator-transaction';
import { examine } from '../../src/operator/cli/doctor/doctor';
import type { Finding } from '../../src/operator/cli/doctor/finding';
import { mergeBlockers, readQueueBlockers } from '../../src/features/events/feed-state';
import { readSettings } from '../../src/read-settings';
import { listSettings } from '../../src/contracts';
import { addEndpoint } from '../support/added-endpoint';
import { citusSettings, isCitus } from '../support/citus/databases';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { longTest, sample } from '../support/full-run';
import { operate } from '../support/operations';
import { randomPepper } from '../support/pepper';
import { setTimeouts } from '../support/pooler';

/** A database as `npm run migrate` leaves it. On Citus, it also sets the limits of the role. */
async function createMigrated(): Promise<TestDatabase> {
  const created = await createTestDatabase();
  if (isCitus) await setTimeouts(created.url, citusSettings);
  return created;
}

/** Citus: the tests of the cluster have other nodes, without hostile defaults. */
const onServer = isCitus ? test.skip : test;

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
  const config = readSettings(
    {
      DATABASE_URL: database.url,
      DATABASE_OWNER_URL: database.ownerUrl,
      DATABASE_OPERATOR_URL: database.operatorUrl,
      ALLOW_PLAIN_HTTP: 'on',
      CREDENTIAL_PEPPERS: `1:${randomPepper}`,
      ...(isCitus ? citusSettings : {}),
      ...settings,
    },
    listSettings(),
  );
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

longTest('an unreachable server is reported with the setting to check', async () => {
  const nowhere = 'postgres://nobody@127.0.0.1:1/nothing';
  expect(await problems({ DATABASE_URL: nowhere })).toEqual({
    'service: connection': expect.stringContaining('check DATABASE_URL'),
  });
});

longTest('settings that name different databases are reported', async () => {
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

/** Sets a default for all later sessions of the database, or only for those of a login. */
const setDefault = (setting: string, login?: string) =>
  database.admin.query(
    `DO $$ BEGIN EXECUTE format('ALTER ${login === undefined ? 'DATABASE' : `ROLE ${login} IN DATABASE`} %I SET ${setting}', current_database()); END $$`,
  );

test('defaults of the server that the program replaces are named without a warning', async () => {
  const named = await problems({}, 'ok');
  for (const purpose of ['service', 'owner', 'operator']) {
    expect(named[`${purpose}: session settings`]).toMatch(
      isCitus ? /./ : /DateStyle is German, DMY \(command line\) instead of ISO, MDY/,
    );
  }
});

test('defaults that somebody set for the database or a login are a warning', async () => {
  await setDefault("datestyle = ''SQL, DMY''");
  await setDefault("default_transaction_isolation = ''repeatable read''", 'contribution_owner');
  const ofDatabase = expect.stringContaining(
    'DateStyle is SQL, DMY (database) instead of ISO, MDY',
  ) as string;
  const warnings = await problems({}, 'warning');
  expect(warnings).toMatchObject({
    'service: session settings': ofDatabase,
    'owner: session settings': ofDatabase,
    'operator: session settings': ofDatabase,
  });
  expect(warnings['owner: session settings']).toContain(
    'default_transaction_isolation is repeatable read (database user) instead of read committed',
  );
  expect(await problems()).toEqual({});
});

test.each([
  [
    'session_replication_role = replica',
    'session_replication_role is replica (database user) instead of origin',
  ],
  [
    'default_transaction_read_only = on',
    'default_transaction_read_only is on (database user) instead of off',
  ],
])('the default %s, which the program cannot or must not replace, is a problem', async (setting, words) => {
  await setDefault(setting, 'contribution_service');
  expect((await problems())['service: session settings']).toContain(words);
});

onServer('with settings of the role, each default that differs is a problem', async () => {
  expect((await problems({ DATABASE_TIMEOUTS: 'role' }))['service: session settings']).toMatch(
    /DateStyle is German, DMY \(command line\) instead of ISO, MDY.*run npm run migrate, and make the pooler reconnect/,
  );
  await setTimeouts(database.url, { DATABASE_TIMEOUTS: 'role' });
  expect(await problems({ DATABASE_TIMEOUTS: 'role' })).toEqual({});
});

test('missing migrations are reported with the command to run', async () => {
  await database.admin.query('DELETE FROM knex_migrations WHERE id = (SELECT max(id) FROM knex_migrations)');
  expect(await problems()).toEqual({ migrations: expect.stringContaining('npm run migrate') });
});

longTest('swapped roles of the service and the owner are reported', async () => {
  const found = await problems({ DATABASE_URL: database.ownerUrl });
  // On Citus, the owner lacks the limits of the service's role.
  delete found['cluster: settings'];
  expect(found).toEqual({ 'service: role': expect.stringContaining('owns the tables') });
  expect(Object.keys(await problems({ DATABASE_OWNER_URL: database.url }))).toEqual(
    expect.arrayContaining(['owner: role']),
  );
});

test.each(
  sample<[string, () => Record<string, string>, Finding['status'], string]>(
    [
      [
        'the owner, in the place of an operator',
        () => ({ DATABASE_OPERATOR_URL: database.ownerUrl }),
        'problem',
        'owns the tables',
      ],
      [
        'the owner, because there is no operator',
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
    ],
    1,
  ),
)('commands that would run as %s are reported', async (_who, settings, status, words) => {
  expect(await problems(settings(), status)).toMatchObject({
    'operator: role': expect.stringContaining(words),
  });
});

longTest('the checks that a problem of a role prevents are named', async () => {
  const settings = { DATABASE_OPERATOR_URL: database.url };
  const notChecked = expect.stringContaining('not checked') as string;
  expect(await problems(settings, 'warning')).toMatchObject({
    'event feeds': notChecked,
    'failed events': notChecked,
    'webhook endpoints': notChecked,
    'webhook keys': notChecked,
    'webhook replays': notChecked,
    peppers: notChecked,
  });
});

longTest("an operator's machine needs no DATABASE_OWNER_URL", async () => {
  expect(await problems({ DATABASE_OWNER_URL: '' })).toEqual({});
  await database.admin.query('DELETE FROM knex_migrations WHERE id = (SELECT max(id) FROM knex_migrations)');
  expect(await problems({ DATABASE_OWNER_URL: '' })).toEqual({
    migrations: expect.stringContaining('npm run migrate'),
  });
});

test('before an upgrade, a change by hand that it would replace is reported', async () => {
  await database.admin.query('DELETE FROM knex_migrations WHERE id = (SELECT max(id) FROM knex_migrations)');
  await database.admin.query('ALTER FUNCTION append_to_feed SET work_mem = 64');
  expect(await problems()).toEqual({
    migrations: expect.stringContaining('npm run migrate'),
    'functions and privileges': expect.stringMatching(
      /append_to_feed\.sql \(changed in the database: function append_to_feed\)\. Somebody changed .* save them first/,
    ),
  });
});

test("a missing privilege of the service's role is reported", async () => {
  await database.admin.query('REVOKE ALL ON events FROM contribution_service');
  await database.admin.query(
    'REVOKE INSERT (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence) ON events FROM contribution_service',
  );
  await database.admin.query('REVOKE DELETE ON project_figure_changes FROM contribution_service');
  const problem = (await problems())['functions and privileges'];
  expect(problem).toContain(
    'privileges.sql (changed in the database: privileges of events, privileges of project_figure_changes)',
  );
});

longTest('a missing pepper that a live pair needs is reported', async () => {
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

describe('the event queue', () => {
  async function withOpenTransaction(url: string, work: (pid: number) => Promise<void>): Promise<void> {
    const client = new Client(sessionConfig({ connectionString: url }));
    await client.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      const { rows } = await client.query<{ pid: number }>(
        'SELECT pg_backend_pid() AS pid, (SELECT count(*) FROM projects)',
      );
      await work(rows[0]!.pid);
    } finally {
      await client.end();
    }
  }
  const blockersSeenBy = (url: string, longSeconds: number) =>
    inOperatorTransaction(url, 'read', (queries) => readQueueBlockers(queries, longSeconds));

  longTest('names the process whose transaction keeps it from shrinking, for any role', async () => {
    await withOpenTransaction(database.url, async (pid) => {
      const seen = [database.ownerUrl, database.url].map((url) => blockersSeenBy(url, 0));
      const { oldTransactions } = mergeBlockers(await Promise.all(seen));
      expect(oldTransactions).toEqual(
        expect.arrayContaining([expect.stringMatching(new RegExp(`^process ${pid} of `))]),
      );
      expect((await blockersSeenBy(database.url, 600)).oldTransactions).toEqual([]);
    });
  });

  longTest('names a session that wrote and is between two statements', async () => {
    const client = new Client(
      sessionConfig({ connectionString: database.url, application_name: 'a script' }),
    );
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_current_xact_id()');
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const { oldTransactions } = await blockersSeenBy(database.url, 0);
      expect(oldTransactions).toContainEqual(
        expect.stringMatching(
          new RegExp(
            `^process ${rows[0]!.pid} of \\w+ \\(a script, idle in transaction since \\d\\d:\\d\\d:\\d\\d UTC\\)$`,
          ),
        ),
      );
    } finally {
      await client.end();
    }
  });

  longTest('says that a login does not see all transactions', async () => {
    await withOpenTransaction(database.url, async (pid) => {
      expect((await blockersSeenBy(database.ownerUrl, 0)).hidden).toContain(pid);
      await database.admin.query(`INSERT INTO event_queue (environment_id, event_id, queued_at)
        VALUES (1, gen_random_uuid(), now() - interval '5 minutes')`);
      const found = await problems({}, 'warning');
      expect(found['event feeds']).toMatch(/3\d\d s behind[^]*\. If no process has DELIVERY=on/);
      // The connections of the test's superuser are not visible to any of the three logins.
      expect(found['event feeds']).toContain('other roles are not visible: GRANT pg_monitor to this login');
    });
  });

  longTest('names who holds the lock of the relay', async () => {
    await withOpenTransaction(database.url, async (pid) => {
      const client = new Client(sessionConfig({ connectionString: database.url }));
      await client.connect();
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock(1179010376, 1)');
      const { lockHolders } = await blockersSeenBy(database.url, 0);
      expect(lockHolders).toHaveLength(1);
      expect(lockHolders[0]).not.toContain(String(pid));
      await client.end();
    });
  });
});

test('an event that could not be written to the feeds is a problem', async () => {
  await database.admin
    .query(`INSERT INTO event_queue (environment_id, event_id, queued_at, failure_count, retry_at)
    VALUES (1, gen_random_uuid(), now() - interval '5 minutes', 4, 'infinity')`);
  expect(await problems()).toEqual({
    'failed events': '1 event has failed to reach the feeds: run events failed',
  });
  await database.admin.query('DELETE FROM event_queue');
});

longTest('a replay that sends nothing is named with the reason', async () => {
  await operate(database, ({ companies }) => companies.create('Company One'));
  const { environmentId, endpointId, change } = await addEndpoint(database.admin, 'Company One');
  await change('failure_count = 10, failing_since = now(), next_probe_at = now(), probe_count = 1');
  const { rows } = await database.admin.query<{ replay_id: string }>(
    `INSERT INTO webhook_replays (environment_id, replay_id, endpoint_id, from_sequence, to_sequence, types, selection,
       event_count, position, delivered_count, skipped_count, attempts, skipped_in_row, next_attempt_at, created_at)
     VALUES ($1, gen_random_uuid(), $2, 1, 5, '{}', 'all', 5, 0, 0, 0, 0, 0, now() - interval '2 hours', now())
     RETURNING replay_id`,
    [environmentId, endpointId],
  );
  const found = await problems({}, 'warning');
  expect(found['webhook replays']).toMatch(`${rows[0]!.replay_id} of endpoint `);
  expect(found['webhook replays']).toContain('whose deliveries fail');
});

longTest('an endpoint whose next event has waited for a minute is named', async () => {
  await operate(database, ({ companies }) => companies.create('Company Late'));
  const { endpointId, writeEvent } = await addEndpoint(database.admin, 'Company Late');
  await writeEvent(5);
  expect((await problems({}, 'warning'))['webhook endpoints'] ?? '').not.toContain(endpointId);
  await writeEvent(300);
  expect((await problems({}, 'warning'))['webhook endpoints']).toContain(`${endpointId} (1 events, 30`);
});

test('unverified endpoints of both environments with waiting events are counted', async () => {
  await operate(database, ({ companies }) => companies.create('Company Unverified'));
  for (const kind of ['test', 'production'] as const) {
    const { change, writeEvent } = await addEndpoint(database.admin, 'Company Unverified', kind);
    await change('verified_at = NULL');
    expect((await problems({}, 'warning'))['webhook endpoints'] ?? '').not.toContain('2 ');
    await writeEvent(5);
  }
  expect((await problems({}, 'warning'))['webhook endpoints']).toBe(
    '2 endpoints are unverified and have waiting events: see webhooks list, and tell the partners to ping them',
  );
});

longTest('master keys of webhooks that endpoints need are named', async () => {
  const key = (version: number) => `${version}:${'k'.repeat(32)}`;
  expect((await problems({ WEBHOOK_SECRET_KEYS: key(1) }))['webhook keys']).toBeUndefined();
  await operate(database, ({ companies }) => companies.create('Company Keys'));
  const { change } = await addEndpoint(database.admin, 'Company Keys');
  await change(
    `secret_version = 2, key_version = 3, previous_key_version = 2, previous_secret_until = now() + interval '1 hour'`,
  );
  expect((await problems({ WEBHOOK_SECRET_KEYS: key(1) }))['webhook keys']).toContain('version 2, 3, ');
  expect((await problems({ WEBHOOK_SECRET_KEYS: `${key(2)},${key(3)}` }))['webhook keys']).toBeUndefined();
});

longTest('in production, webhooks without a master key are named', async () => {
  const found = await problems(
    { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://api.example.org' },
    'warning',
  );
  expect(found['webhook keys']).toContain('WEBHOOK_SECRET_KEYS is not set');
});
