import pino from 'pino';

import { timeoutsOf } from '../../../src/read-settings';
import { migrateUp } from '../../../src/db/migrations/migrator';
import { setRoleSettings } from '../../../src/db/roles/role-settings';
import { serviceSettings } from '../../../src/db/session-settings';
import { examine } from '../../../src/operator/cli/doctor/doctor';
import type { Finding } from '../../../src/operator/cli/doctor/finding';
import { checkDatabase } from '../../../src/startup/check-database';
import type { CitusNode } from '../../support/citus/cluster';
import { onDatabase, prepareNode } from '../../support/citus/databases';
import { configOf, type OwnCluster, startOwnCluster } from '../../support/citus/own-cluster';

/** Who may execute the functions on nodes that are added after the migrations. */
const name = 'contribution_service';
let own: OwnCluster;
let first: CitusNode;
let second: CitusNode;

beforeAll(async () => {
  own = await startOwnCluster(2);
  [first, second] = own.cluster.workers.slice(-2) as [CitusNode, CitusNode];
  await setRoleSettings(own.database.url, serviceSettings(timeoutsOf(configOf(own))));
});
afterAll(() => own.remove());

/** Adds a node as docs/operations/scale.md says. */
async function addNode(node: CitusNode, preparation?: string): Promise<void> {
  await prepareNode(node.url('postgres'), name);
  if (preparation !== undefined) await onDatabase(node.url(name), (client) => client.query(preparation));
  await own.database.admin.query(`SELECT citus_add_node('127.0.0.1', $1::integer)`, [node.port]);
  // The limits of the role are a setting of each node's database.
  await setRoleSettings(own.database.url, serviceSettings(timeoutsOf(configOf(own))));
}

/** The functions of a node that PUBLIC may execute. Triggers run without this privilege. */
async function callableByPublic(node: CitusNode): Promise<string[]> {
  const { rows } = await onDatabase(node.url(name), (client) =>
    client.query<{ name: string }>(
      `SELECT p.proname AS name FROM pg_proc p
        WHERE p.pronamespace = 'public'::regnamespace AND p.prorettype <> 'trigger'::regtype
          AND has_function_privilege('public', p.oid, 'EXECUTE') ORDER BY 1`,
    ),
  );
  return rows.map((row) => row.name);
}

async function findingOfFunctions(): Promise<Finding[]> {
  const { url, ownerUrl, operatorUrl } = own.database;
  const addresses = { service: url, owner: ownerUrl, operator: operatorUrl, notifications: url };
  const findings = await examine(configOf(own), addresses);
  return findings.filter(({ check }) => check === 'cluster: functions');
}

const start = () => checkDatabase(configOf(own), own.database.url, pino({ level: 'silent' }));
const ok = { check: 'cluster: functions', status: 'ok', detail: expect.any(String) as string };

async function migrate(): Promise<string[]> {
  const lines: string[] = [];
  await migrateUp({
    connectionString: own.database.ownerUrl,
    onProgress: (line) => void lines.push(line),
  });
  return lines;
}

test('if PUBLIC may execute functions on an added node, doctor names them and startup fails', async () => {
  await start();
  expect(await findingOfFunctions()).toEqual([ok]);
  await addNode(first);
  expect(await callableByPublic(first)).toContain('disable_webhook_endpoint');
  const words = new RegExp(
    `On 127.0.0.1:${first.port}, PUBLIC may execute .*disable_webhook_endpoint\\(.*npm run migrate`,
  );
  expect(await findingOfFunctions()).toEqual([
    { ...ok, status: 'problem', detail: expect.stringMatching(words) as string },
  ]);
  await expect(start()).rejects.toThrow(words);
});

test('npm run migrate revokes them and reports it, and a repeat changes nothing', async () => {
  expect(await migrate()).toEqual([
    expect.stringMatching(/^distribution: done in/),
    expect.stringMatching(
      new RegExp(`^EXECUTE revoked from PUBLIC on 127.0.0.1:${first.port}: .*disable_webhook_endpoint`),
    ),
  ]);
  for (const node of [own.cluster.coordinator, ...own.cluster.workers.slice(0, -1)])
    expect(await callableByPublic(node)).toEqual([]);
  expect(await findingOfFunctions()).toEqual([ok]);
  await start();
  expect(await migrate()).toEqual([expect.stringMatching(/^distribution: done in/)]);
});

test('a function that the owner may not revoke is an error of npm run migrate', async () => {
  const onFirst = (words: string) =>
    onDatabase(first.url(name), (client) => client.query(`SET citus.enable_ddl_propagation = off; ${words}`));
  await onFirst(
    'ALTER FUNCTION relay_events(integer,integer) OWNER TO postgres; GRANT EXECUTE ON FUNCTION relay_events(integer,integer) TO PUBLIC',
  );
  await expect(migrate()).rejects.toThrow('PUBLIC may still execute relay_events(integer,integer)');
  await onFirst('ALTER FUNCTION relay_events(integer,integer) OWNER TO contribution_owner');
  await migrate();
  expect(await callableByPublic(first)).toEqual([]);
});

test('with the default privileges of scale.md, PUBLIC may execute none on the added node at once', async () => {
  await addNode(second, 'ALTER DEFAULT PRIVILEGES FOR ROLE postgres REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC');
  expect(await callableByPublic(second)).toEqual([]);
  expect(await findingOfFunctions()).toEqual([ok]);
  // An operator who links a bank asks every node.
  await onDatabase(own.database.operatorUrl, (client) =>
    client.query('SELECT wait_for_contribution_writers()'),
  );
  await start();
});
