import { randomBytes } from 'node:crypto';

import knex from 'knex';
import pino from 'pino';
import { Client } from 'pg';

import { readSettings, timeoutsOf } from '../../src/read-settings';
import { createKnexConfig } from '../../src/db/migrations/knex-config';
import { createOperatorDatabase, createReadOnlyDatabase } from '../../src/db/operator-database';
import { inOperatorTransaction } from '../../src/db/operator-transaction';
import { readSessionSettings, setRoleSettings } from '../../src/db/roles/role-settings';
import {
  serviceSettings,
  sessionSettings,
  settingNames,
  type SessionSettings,
  superuserSettings,
} from '../../src/db/session-settings';
import { checkDatabase } from '../../src/startup/check-database';
import { createServiceDatabase } from '../../src/startup/service-database';
import { isCitus } from '../support/citus/databases';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { operatorSettings, runMigrate, runOps } from '../support/operator-commands';
import { isPooled, throughPooler } from '../support/pooler';
import { roleUrl } from '../support/role-url';

/** No default of the server, the database, the login or the address reaches the program. */
let database: TestDatabase;
const silent = pino({ level: 'silent' });

beforeAll(async () => {
  database = await createTestDatabase();
  // The address has precedence over all other defaults, apart from the session's own settings.
  for (const name of ['url', 'ownerUrl', 'operatorUrl'] as const) {
    const url = new URL(database[name]);
    url.searchParams.set('options', '-c DateStyle=SQL,DMY -c bytea_output=escape');
    database[name] = url.href;
  }
});
afterAll(() => database.drop());

const noLimits = { statement_timeout: '0', lock_timeout: '0', idle_in_transaction_session_timeout: '0' };
const wanted = { ...sessionSettings, ...superuserSettings };

const config = (settings: Record<string, string> = {}) =>
  readSettings({ DATABASE_URL: database.url, ALLOW_PLAIN_HTTP: 'on', ...settings });

/** The settings of a session that sets none. */
async function readDefaults(): Promise<SessionSettings> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
    [settingNames],
  );
  await client.end();
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

const onServer = isCitus ? test.skip : test;

onServer('each default of the test server differs from the setting of the program', async () => {
  const defaults = await readDefaults();
  const same = Object.entries({ ...sessionSettings, ...noLimits }).filter(
    ([name, value]) => defaults[name] === value,
  );
  expect(same).toEqual([]);
});

test.each<[string, () => Promise<SessionSettings>, SessionSettings]>([
  [
    'of the service',
    async () => {
      const pool = createServiceDatabase(config(), database.url, silent);
      return readSessionSettings(pool).finally(() => pool.close());
    },
    { statement_timeout: '2000', lock_timeout: '500', idle_in_transaction_session_timeout: '5000' },
  ],
  [
    'of a pool of commands',
    async () => {
      const pool = createOperatorDatabase(database.operatorUrl);
      return readSessionSettings(pool).finally(() => pool.close());
    },
    { statement_timeout: '10000', lock_timeout: '1000', idle_in_transaction_session_timeout: '5000' },
  ],
  [
    'of verify',
    async () => {
      const pool = createReadOnlyDatabase(database.operatorUrl);
      return readSessionSettings(pool).finally(() => pool.close());
    },
    { statement_timeout: '3600000', lock_timeout: '5000', idle_in_transaction_session_timeout: '5000' },
  ],
  [
    "of an operator's transaction",
    () => inOperatorTransaction(database.operatorUrl, 'read', readSessionSettings),
    { statement_timeout: '120000', lock_timeout: '5000', idle_in_transaction_session_timeout: '120000' },
  ],
  [
    'of migrations and seeds',
    async () => {
      const owner = knex(createKnexConfig(database.ownerUrl));
      const read = owner.raw<{ rows: { name: string; setting: string }[] }>(
        'SELECT name, setting FROM pg_settings WHERE name = ANY (?)',
        [settingNames],
      );
      const { rows } = await read.finally(() => void owner.destroy());
      return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    },
    { ...noLimits, lock_timeout: '1000' },
  ],
])('a session %s has the settings of the program', async (_which, read, limits) => {
  expect(await read()).toEqual({ ...wanted, ...limits });
});

test('a session without triggers and foreign keys is refused at startup', async () => {
  await database.admin.query(
    `DO $$ BEGIN EXECUTE format(
       'ALTER ROLE contribution_service IN DATABASE %I SET session_replication_role = replica', current_database());
     END $$`,
  );
  await expect(checkDatabase(config(), database.url, silent)).rejects.toThrow(
    'session_replication_role is replica instead of origin, so foreign keys and triggers do not protect the data',
  );
  await database.admin.query(
    `DO $$ BEGIN EXECUTE format('ALTER ROLE contribution_service IN DATABASE %I RESET ALL', current_database()); END $$`,
  );
});

/** Creates an empty database on the server. */
async function withEncoding(encoding: string, work: (urls: string[]) => Promise<void>): Promise<void> {
  const name = `encoding_${randomBytes(6).toString('hex')}`;
  await database.admin.query(
    `CREATE DATABASE ${name} OWNER contribution_owner ENCODING ${encoding} TEMPLATE template0
       LOCALE_PROVIDER libc LOCALE 'C'`,
  );
  try {
    await work([roleUrl('service', name), roleUrl('owner', name), roleUrl('operator', name)]);
  } finally {
    await database.admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}

onServer.each(['SQL_ASCII', 'LATIN1'])('a database with the encoding %s is refused', async (encoding) => {
  await withEncoding(encoding, async ([url = '', ownerUrl = '', operatorUrl = '']) => {
    const reason = `The encoding of the database is ${encoding} and cannot be changed, so create a new database with ENCODING 'UTF8' TEMPLATE template0: see "What it needs" in docs/operations/install.md.`;
    const settings = operatorSettings({ url, operatorUrl });
    const owner = { ...settings, DATABASE_OWNER_URL: ownerUrl };
    await expect(checkDatabase(config(settings), url, silent)).rejects.toThrow(reason);
    expect(await runMigrate(['up'], owner)).toEqual({ exitCode: 1, output: `${reason}\n` });
    expect((await runMigrate(['status'], owner)).output).toContain(reason);
    expect(await runOps(['companies', 'list'], settings)).toEqual({ exitCode: 1, output: `${reason}\n` });
    const doctor = await runOps(['doctor', '--json'], settings);
    expect((JSON.parse(doctor.output) as { findings: unknown[] }).findings).toContainEqual({
      check: 'migrations',
      status: 'problem',
      detail: reason,
    });
  });
});

test('with settings of the role, startup names each default that differs, until npm run migrate replaces it', async () => {
  const address = new URL(database.url);
  address.search = '';
  const url = (isPooled && throughPooler(address.href)) || address.href;
  const settings = config({ DATABASE_TIMEOUTS: 'role' });
  await expect(checkDatabase(settings, url, silent)).rejects.toThrow(
    /DateStyle is German, DMY instead of ISO, MDY, .*default_transaction_isolation is serializable instead of read committed.* DATABASE_TIMEOUTS=role, run npm run migrate/,
  );
  await setRoleSettings(address.href, serviceSettings(timeoutsOf(settings)));
  await database.admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND usename = 'contribution_service'`,
  );
  await checkDatabase(settings, address.href, silent);
});
