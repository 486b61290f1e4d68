import { randomUUID } from 'node:crypto';

import pino from 'pino';

import { timeoutsOf } from '../../../src/read-settings';
import { migrateUp } from '../../../src/db/migrations/migrator';
import { setRoleSettings } from '../../../src/db/roles/role-settings';
import { serviceSettings, sessionSettings } from '../../../src/db/session-settings';
import { ownerRole } from '../../../src/db/roles/roles';
import { examine } from '../../../src/operator/cli/doctor/doctor';
import type { Finding } from '../../../src/operator/cli/doctor/finding';
import { checkDatabase } from '../../../src/startup/check-database';
import { configOf, type OwnCluster, startOwnCluster } from '../../support/citus/own-cluster';
import { onDatabase } from '../../support/citus/databases';
import { operatorLogin } from '../../support/role-url';

/** What `doctor` and startup find on a cluster that is set up wrongly. */
let own: OwnCluster;
const warnings: string[] = [];
const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });

beforeAll(async () => {
  own = await startOwnCluster();
});
afterAll(() => own.remove());
beforeEach(() => {
  warnings.length = 0;
});

/** Findings of doctor about the cluster that are not ok, by check. */
async function clusterFindings(): Promise<Record<string, string>> {
  const { url, ownerUrl, operatorUrl } = own.database;
  const findings: Finding[] = await examine(configOf(own), {
    service: url,
    owner: ownerUrl,
    operator: operatorUrl,
    notifications: url,
  });
  return Object.fromEntries(
    findings
      .filter(({ check, status }) => status !== 'ok' || check.startsWith('cluster'))
      .map(({ check, status, detail }) => [check, status === 'ok' ? 'ok' : detail]),
  );
}

const start = () => checkDatabase(configOf(own), own.database.url, logger);
const allOk = {
  'cluster: distribution': 'ok',
  'cluster: nodes': 'ok',
  'cluster: settings': 'ok',
  'cluster: messages': 'ok',
  'cluster: privileges': 'ok',
  'cluster: functions': 'ok',
  'cluster: clocks': 'ok',
  'cluster: commits': 'ok',
  'cluster: recovery': 'ok',
  'cluster: copies': 'ok',
};

test('without the settings of the role, startup fails and doctor says what to run', async () => {
  await expect(start()).rejects.toThrow('npm run migrate');
  expect((await clusterFindings())['cluster: settings']).toContain('Set DATABASE_TIMEOUTS=role');
});

test('the settings of the role reach every node, and then nothing is wrong', async () => {
  await setRoleSettings(own.database.url, serviceSettings(timeoutsOf(configOf(own))));
  await start();
  expect(await clusterFindings()).toEqual(allOk);
});

test('a node with other defaults is named for each login, until the settings of its role replace them', async () => {
  const [worker] = own.cluster.workers;
  const onNode = (text: string): Promise<unknown> =>
    onDatabase(worker?.url('contribution_service') ?? '', (client) => client.query(text));
  const alter = (words: string): Promise<unknown> =>
    onNode(`SET citus.enable_ddl_propagation = off; ALTER DATABASE contribution_service ${words}`);
  await alter(`SET datestyle = 'German, DMY'`);
  const found = await clusterFindings();
  for (const [purpose, login] of [
    ['owner', ownerRole],
    ['operator', operatorLogin],
  ] as const) {
    expect(found[`${purpose}: nodes`]).toContain(
      `On 127.0.0.1:${worker?.port}, in sessions of ${login}, DateStyle is German, DMY instead of ISO, MDY`,
    );
  }
  expect(found['cluster: settings']).toBe('ok');
  await setRoleSettings(own.database.ownerUrl, sessionSettings);
  await onNode(
    `SET citus.enable_alter_role_set_propagation = off;
     ALTER ROLE ${operatorLogin} IN DATABASE contribution_service SET datestyle = 'ISO, MDY'`,
  );
  expect(await clusterFindings()).toEqual(allOk);
  await alter('RESET datestyle');
});

test('a shard without a privilege of its table is named, and startup fails', async () => {
  const [worker] = own.cluster.workers;
  const shard = await own.database.admin.query<{ name: string }>(
    `SELECT shard_name('transactions', s.shardid) AS name
       FROM citus_shards s WHERE s.table_name = 'transactions'::regclass AND s.nodeport = $1 LIMIT 1`,
    [worker?.port],
  );
  const onShard = (words: string): Promise<unknown> =>
    onDatabase(worker?.url('contribution_service') ?? '', (client) =>
      client.query(
        `SET citus.enable_ddl_propagation = off; ${words.replace('SHARD', shard.rows[0]?.name ?? '')} contribution_service`,
      ),
    );
  await onShard('REVOKE UPDATE (status) ON SHARD FROM');
  expect((await clusterFindings())['cluster: privileges']).toContain(
    'shards of transactions lack privileges',
  );
  await expect(start()).rejects.toThrow('shards of transactions lack privileges');
  await onShard('GRANT UPDATE (status) ON SHARD TO');
  expect(await clusterFindings()).toEqual(allOk);
});

test.each([
  ['operator', operatorLogin],
  ['owner', ownerRole],
])('a node that rejects the %s is named', async (purpose, login) => {
  const [, worker] = own.cluster.workers;
  const alter = (words: string): Promise<unknown> =>
    onDatabase(worker?.url('contribution_service') ?? '', (client) =>
      client.query(`SET citus.enable_alter_role_propagation = off; ALTER ROLE ${login} ${words}`),
    );
  await alter('NOLOGIN');
  try {
    expect((await clusterFindings())[`${purpose}: nodes`]).toContain(
      `${login} cannot connect to 127.0.0.1:${worker?.port}`,
    );
  } finally {
    await alter('LOGIN');
  }
  expect(await clusterFindings()).toEqual(allOk);
});

test('a copy of a reference table that differs is named, and an UPDATE on the coordinator corrects it', async () => {
  const [, worker] = own.cluster.workers;
  const companyId = randomUUID();
  const onCompany = (text: string) => own.database.admin.query(text, [companyId]);
  await onCompany(`INSERT INTO companies (company_id, name) VALUES ($1, 'Acme')`);
  const shard = await own.database.admin.query<{ name: string }>(
    `SELECT shard_name('companies', shardid) AS name FROM pg_dist_shard WHERE logicalrelid = 'companies'::regclass`,
  );
  await onDatabase(worker?.url('contribution_service') ?? '', (client) =>
    client.query(
      `SET citus.enable_manual_changes_to_shards = on;
       UPDATE ${shard.rows[0]?.name ?? ''} SET name = 'Other' WHERE name = 'Acme'`,
    ),
  );
  expect((await clusterFindings())['cluster: copies']).toContain(
    `The copies of companies on 127.0.0.1:${worker?.port} differ`,
  );
  await onCompany(`UPDATE companies SET name = 'Acme' WHERE company_id = $1`);
  expect(await clusterFindings()).toEqual(allOk);
});

test('a table that is not distributed is named, and npm run migrate distributes it', async () => {
  await own.database.admin.query('ALTER TABLE story_views DROP CONSTRAINT story_views_user_fkey');
  await own.database.admin.query('ALTER TABLE story_views DROP CONSTRAINT story_views_project_fkey');
  await own.database.admin.query(`SELECT undistribute_table('story_views')`);
  expect((await clusterFindings())['cluster: distribution']).toContain('The tables story_views are not');
  await expect(start()).rejects.toThrow('story_views are not distributed');
  await migrateUp({ connectionString: own.database.ownerUrl });
  expect(await clusterFindings()).toEqual(allOk);
});

test('a dead node is a problem for doctor, and startup only logs it', async () => {
  const [, worker] = own.cluster.workers;
  await worker?.stop('immediate');
  try {
    expect((await clusterFindings())['cluster: nodes']).toContain(
      `127.0.0.1:${worker?.port} does not respond`,
    );
    await start();
    expect(warnings.join()).toContain('does not respond');
  } finally {
    await worker?.start();
  }
});
