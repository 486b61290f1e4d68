import path from 'node:path';

import { migrateUp } from '../../src/db/migrations/migrator';
import { createOperatorDatabase } from '../../src/db/operator-database';
import { setRoleSettings } from '../../src/db/roles/role-settings';
import { serviceSettings } from '../../src/db/session-settings';
import { createOwnedDatabase, ownerRole, serviceRole } from '../../src/db/roles/roles';
import { createOperations } from '../../src/operator/commands/operations';
import type { CitusCluster } from '../../test/support/citus/cluster';
import { createCitusDatabase, onDatabase } from '../../test/support/citus/databases';
import { service } from '../programs/contestants';
import { freePort, RunningProgram } from '../programs/program';
import { createTenant, type Tenant } from '../world/tenant';

/** How the tables are stored: on PostgreSQL, on a cluster of one node, or on one of three. */
export type Kind = 'PostgreSQL' | 'one node' | 'three nodes';

/** The companies of the bank. */
export const linkedCompanies = 50;
const shardCount = 32;
const projectCount = 40;
const limits = { statementMs: 2_000, lockMs: 500, idleInTransactionMs: 5_000 };

/** The service on one kind of database. It is stopped (SIGSTOP) while others are measured. */
export interface Side {
  kind: Kind;
  program: RunningProgram;
  /** A company that completes its own contributions. */
  company: Tenant;
  bank: Tenant;
  /** The companies that are linked to the bank. */
  linked: readonly Tenant[];
}

const databaseUrl = (cluster: CitusCluster, database: string, role: string): string => {
  const url = new URL(cluster.coordinator.url(database));
  url.username = role;
  return url.href;
};

async function createDatabase(cluster: CitusCluster, kind: Kind, database: string): Promise<void> {
  const urls = cluster.nodes.map((node) => node.url('postgres'));
  const [coordinator = ''] = urls;
  if (kind === 'PostgreSQL') {
    await onDatabase(coordinator, (client) => createOwnedDatabase(client, database));
  } else {
    await createCitusDatabase(kind === 'one node' ? [coordinator] : urls, database, shardCount);
  }
  if (kind === 'one node') {
    await onDatabase(cluster.coordinator.url(database), (client) =>
      client.query(
        `SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) FROM pg_dist_node`,
      ),
    );
  }
  await migrateUp({ connectionString: databaseUrl(cluster, database, ownerRole) });
  await setRoleSettings(databaseUrl(cluster, database, serviceRole), serviceSettings(limits));
}

/** Company 1, and the bank Company 2 with the companies that are linked to it. */
async function createCompanies(ownerUrl: string): Promise<Pick<Side, 'company' | 'bank' | 'linked'>> {
  const database = createOperatorDatabase(ownerUrl);
  try {
    const { companies } = createOperations(database, new Map());
    for (let number = 1; number <= linkedCompanies + 2; number += 1) {
      await companies.create(`Company ${number}`);
      if (number > 2) await companies.linkBank('production', `Company ${number}`, 'Company 2');
    }
  } finally {
    await database.close();
  }
  await onDatabase(ownerUrl, (client) =>
    client.query(
      `INSERT INTO projects (project_name, project_image_url, rank)
       SELECT 'Project ' || number, '/demo/' || number || '.svg', number FROM generate_series(1, $1::integer) AS number`,
      [projectCount],
    ),
  );
  const linked: Tenant[] = [];
  for (let place = 3; place <= linkedCompanies + 2; place += 1)
    linked.push(await createTenant(ownerUrl, place));
  return { company: await createTenant(ownerUrl, 1), bank: await createTenant(ownerUrl, 2), linked };
}

export async function startSide(
  cluster: CitusCluster,
  kind: Kind,
  { folder, poolSize }: { folder: string; poolSize: number },
): Promise<Side> {
  const database = kind.toLowerCase().replace(' ', '_');
  await createDatabase(cluster, kind, database);
  const tenants = await createCompanies(databaseUrl(cluster, database, ownerRole));
  const command = service.command({
    databaseUrl: databaseUrl(cluster, database, serviceRole),
    tenant: tenants.company,
    poolSize,
    port: await freePort(),
    logFile: path.join(folder, `${database}.log`),
    fixedBodies: {},
  });
  const environment = { ...command.environment, DATABASE_TIMEOUTS: 'role' };
  const program = await RunningProgram.start({ ...command, environment });
  await program.pause();
  return { kind, program, ...tenants };
}
