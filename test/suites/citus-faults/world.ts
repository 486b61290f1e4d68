import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Pool, QueryResultRow } from 'pg';

import { migrateUp } from '../../../src/db/migrations/migrator';
import { ownerRole, serviceRole } from '../../../src/db/roles/roles';
import { setRoleSettings } from '../../../src/db/roles/role-settings';
import { serviceSettings } from '../../../src/db/session-settings';
import { type CitusCluster, type CitusNode, startCitusCluster } from '../../support/citus/cluster';
import { createCitusDatabase, prepareNode } from '../../support/citus/databases';
import { createRoles } from '../../support/citus/roles';
import { createPool } from '../../support/pool';
import type { Query } from '../faults/journal/check';
import { type LoadWorld, startLoadWorld } from '../faults/load-world';
import { createTenants } from '../faults/tenants';

export const databaseName = 'contribution_service';
const shardCount = 8;
const timeouts = { statementMs: 2_000, lockMs: 500, idleInTransactionMs: 5_000 };

/** Clients, the service on a coordinator and two workers, and a spare server that may join them. */
export interface CitusWorld extends LoadWorld {
  readonly cluster: CitusCluster;
  /** Two workers. */
  readonly workers: readonly [CitusNode, CitusNode];
  /** The spare server, which is not a node of the cluster. */
  readonly spare: CitusNode;
  /** Runs a statement on a node, on a connection of its own. */
  on: (node: CitusNode, text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
}

const inDatabase = (node: CitusNode, role = 'postgres'): string => {
  const url = new URL(node.url(databaseName));
  url.username = role;
  return url.href;
};

/** Starts everything. Partners and banks are idle. */
export async function createCitusWorld(seed: number): Promise<CitusWorld> {
  const directory = await mkdtemp(path.join(tmpdir(), 'citus-faults-'));
  await chmod(directory, 0o711);
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (let next = stops.pop(); next; next = stops.pop()) await next();
  };
  try {
    const cluster = await startCitusCluster(3);
    stops.push(() => cluster.remove());
    const [first, second, spare] = cluster.workers;
    if (!first || !second || !spare) throw new Error('there are not three workers');
    const nodes = [cluster.coordinator, first, second].map((node) => node.url('postgres'));
    await createRoles([...nodes, spare.url('postgres')], { owner: 'o', service: 's', operator: 'p' });
    await createCitusDatabase(nodes, databaseName, shardCount);
    await prepareNode(spare.url('postgres'), databaseName);
    const ownerUrl = inDatabase(cluster.coordinator, ownerRole);
    const serviceUrl = inDatabase(cluster.coordinator, serviceRole);
    await migrateUp({ connectionString: ownerUrl });
    await setRoleSettings(serviceUrl, serviceSettings(timeouts));
    const pepper = randomBytes(32).toString('hex');
    const tenants = await createTenants(ownerUrl, pepper);
    const admin = createPool(inDatabase(cluster.coordinator), { max: 4 });
    stops.push(() => admin.end());
    const query: Query = async <Row extends QueryResultRow>(text: string, values?: unknown[]) =>
      (await admin.query<Row>(text, values)).rows;
    const parts = await startLoadWorld({
      directory,
      seed,
      tenants,
      stops,
      query,
      settings: {
        DATABASE_URL: serviceUrl,
        DATABASE_TIMEOUTS: 'role',
        CREDENTIAL_PEPPERS: `1:${pepper}`,
      },
    });
    return {
      ...parts,
      cluster,
      workers: [first, second],
      spare,
      query,
      async on(node, text, values) {
        const pool = createPool(inDatabase(node), { max: 1, connectionTimeoutMillis: 5_000 });
        try {
          return (await pool.query<Record<string, unknown>>(text, values)).rows;
        } finally {
          await pool.end();
        }
      },
      superuserUrl: () => inDatabase(cluster.coordinator),
      untilIdle: () => waitUntilIdle(admin),
      async stop({ keepLogs }) {
        for (const { logFile } of keepLogs ? cluster.nodes : [])
          await copyFile(logFile, path.join(directory, path.basename(logFile)));
        await stop();
        if (!keepLogs) await rm(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Statements whose client has disconnected may still be running, or be prepared, on any node. */
async function waitUntilIdle(admin: Pool): Promise<void> {
  const busy = `SELECT (SELECT count(*) FROM pg_stat_activity
                         WHERE pid <> pg_backend_pid() AND state <> 'idle' AND datname = current_database()
                           AND usename = '${serviceRole}' AND query NOT LIKE '%listen%')
                     + (SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database())`;
  for (const deadline = Date.now() + 120_000; Date.now() < deadline;) {
    const { rows } = await admin.query<{ result: string }>(
      'SELECT result FROM run_command_on_all_nodes($1)',
      [busy],
    );
    if (rows.every(({ result }) => result === '0')) return;
    await delay(100);
  }
}
