import { type Config, readSettings } from '../../../src/read-settings';
import { listSettings } from '../../../src/contracts';
import { migrateUp } from '../../../src/db/migrations/migrator';
import { ownerRole, serviceRole } from '../../../src/db/roles/roles';
import type { TestDatabase } from '../database';
import { environmentOf } from '../environment';
import { randomPepper } from '../pepper';
import { createPool } from '../pool';
import { operatorLogin } from '../role-url';
import { type CitusCluster, startCitusCluster } from './cluster';
import { createCitusDatabase } from './databases';
import { createRoles } from './roles';

export interface OwnCluster {
  cluster: CitusCluster;
  /** A migrated database on the cluster. */
  database: TestDatabase;
  /** The port of the node with the rows of the company's test environment. */
  portOf(company: { name: string }): Promise<number>;
  remove(): Promise<void>;
}

const name = 'contribution_service';

/**
 * A cluster for one test file that stops or adds nodes, with a migrated database.
 *
 * @param spareCount the last workers, which run but are not part of the cluster yet
 */
export async function startOwnCluster(spareCount = 0): Promise<OwnCluster> {
  const cluster = await startCitusCluster(2 + spareCount);
  const urls = cluster.nodes.map((node) => node.url('postgres'));
  await createRoles(urls, { owner: 'unused', service: 'unused', operator: 'unused' });
  await createCitusDatabase(urls.slice(0, 3), name, 8);
  const urlOf = (role: string): string => {
    const url = new URL(cluster.coordinator.url(name));
    url.username = role;
    return url.href;
  };
  await migrateUp({ connectionString: urlOf(ownerRole) });
  const admin = createPool(cluster.coordinator.url(name), { max: 3 });
  const database: TestDatabase = {
    url: urlOf(serviceRole),
    ownerUrl: urlOf(ownerRole),
    operatorUrl: urlOf(operatorLogin),
    adminUrl: cluster.coordinator.url(name),
    admin,
    drop: () => Promise.resolve(),
  };
  return {
    cluster,
    database,
    async portOf({ name: company }) {
      const { rows } = await admin.query<{ port: number }>(
        `SELECT n.nodeport AS port FROM pg_dist_placement p JOIN pg_dist_node n ON n.groupid = p.groupid
          WHERE p.shardid = get_shard_id_for_distribution_column('users', $1::integer)`,
        [await environmentOf(admin, company)],
      );
      return rows[0]?.port ?? 0;
    },
    async remove() {
      await admin.end();
      await cluster.remove();
    },
  };
}

/** The settings of a service on the cluster. */
export const configOf = ({ database }: OwnCluster): Config =>
  readSettings(
    {
      DATABASE_URL: database.url,
      DATABASE_OWNER_URL: database.ownerUrl,
      DATABASE_OPERATOR_URL: database.operatorUrl,
      DATABASE_TIMEOUTS: 'role',
      ALLOW_PLAIN_HTTP: 'on',
      CREDENTIAL_PEPPERS: `1:${randomPepper}`,
    },
    listSettings(),
  );
