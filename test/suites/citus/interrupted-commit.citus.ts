import { readSettings, timeoutsOf } from '../../../src/read-settings';
import { listSettings } from '../../../src/contracts';
import { setRoleSettings } from '../../../src/db/roles/role-settings';
import { serviceSettings } from '../../../src/db/session-settings';
import { examine } from '../../../src/operator/cli/doctor/doctor';
import type { CitusNode } from '../../support/citus/cluster';
import { type OwnCluster, startOwnCluster } from '../../support/citus/own-cluster';
import { operate } from '../../support/operations';
import { randomPepper } from '../../support/pepper';
import { build, runProcess } from '../../support/program';
import { until } from '../../support/until';

/** A command whose commit a worker prepared, but did not confirm. */
let own: OwnCluster;
let worker: CitusNode;
let settings: Record<string, string>;

beforeAll(async () => {
  await build();
  own = await startOwnCluster();
  worker = own.cluster.workers[1]!;
  const { url, operatorUrl } = own.database;
  settings = {
    DATABASE_URL: url,
    DATABASE_OPERATOR_URL: operatorUrl,
    DATABASE_TIMEOUTS: 'role',
    ALLOW_PLAIN_HTTP: 'on',
    CREDENTIAL_PEPPERS: `1:${randomPepper}`,
  };
  await setRoleSettings(url, serviceSettings(timeoutsOf(readSettings(settings))));
  await configure('citus.recover_2pc_interval', '-1');
  await operate(own.database, async ({ companies }) => {
    for (const name of ['Acme', 'Bank']) await companies.create(name);
  });
});
afterAll(() => own.remove());

/** Changes a setting of the coordinator. */
async function configure(setting: string, value: string): Promise<void> {
  await own.database.admin.query(`ALTER SYSTEM SET ${setting} = '${value}'`);
  await own.database.admin.query('SELECT pg_reload_conf()');
}

const count = async (text: string): Promise<number> =>
  Number((await own.database.admin.query<{ count: string }>(text)).rows[0]?.count);

/** The nodes that have the link. */
const nodesWithLink = (): Promise<number> =>
  count(
    `SELECT sum(result::integer) AS count FROM run_command_on_all_nodes('SELECT count(*) FROM bank_links')`,
  );

/** Problems and warnings about the cluster, by check. */
async function findings(): Promise<Record<string, string>> {
  const { url, operatorUrl } = own.database;
  const found = await examine(readSettings(settings, listSettings()), {
    service: url,
    operator: operatorUrl,
    notifications: url,
  });
  return Object.fromEntries(
    found
      .filter(({ check, status }) => check.startsWith('cluster') && status !== 'ok')
      .map(({ check, detail }) => [check, detail]),
  );
}

test('the command names the worker, and doctor names it until the coordinator finishes the commit', async () => {
  const port = worker.port;
  // The coordinator commits between the two phases. Without its standby, it waits there.
  await configure('synchronous_standby_names', 'missing');
  const command = runProcess(
    process.execPath,
    ['dist/src/operator/cli/main.js', 'companies', 'link-bank', 'production', 'Acme', 'Bank', '--yes'],
    settings,
  );
  await until(
    'the coordinator waits between the phases',
    async () => (await count(`SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)) === 1,
  );
  await worker.stop('immediate');
  await configure('synchronous_standby_names', '');
  const { exitCode, output } = await command;
  await worker.start();
  expect(exitCode).toBe(4);
  expect(output).toContain(`not yet on 127.0.0.1:${port}`);

  await until('the commit waits too long', async () => 'cluster: commits' in (await findings()));
  const found = await findings();
  expect(found['cluster: commits']).toContain(`On 127.0.0.1:${port}, the coordinator has not finished`);
  expect(found['cluster: recovery']).toContain('citus.recover_2pc_interval is off');
  expect(await nodesWithLink()).toBe(2);

  await configure('citus.recover_2pc_interval', '5s');
  await until('the link exists on every node', async () => (await nodesWithLink()) === 3);
  await until('doctor finds nothing', async () => Object.keys(await findings()).length === 0);
});
