import { DatabaseFailure } from '../errors';
import type { Database } from '../pool/database';
import { readIsCluster } from './has-citus';
import { colocationTable } from './table-kinds';

/** The tenants of each node. */
const listTenants = `
  SELECT n.nodeid AS node, array_agg(e.environment_id) AS tenants
    FROM environments e
    JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('${colocationTable}', e.environment_id)
    JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
   WHERE e.retired_at IS NULL
   GROUP BY n.nodeid`;

const probeAll = `SELECT nodeid AS node, success FROM run_command_on_all_nodes('SELECT 1')`;

/** Asks one node only, so that a node that does not respond delays no query of another node. */
const probeOne = `
  SELECT bool_and(r.success) AS success
    FROM pg_dist_node n
   CROSS JOIN LATERAL master_run_on_worker(ARRAY[n.nodename], ARRAY[n.nodeport], ARRAY['SELECT 1'], false) r
   WHERE n.nodeid = $1`;

/** Shorter than the interval at which load balancers usually check. */
const probeSettings = { statement_timeout: '1000ms' };

/** Finds the tenants whose worker responds. */
export function createReachableTenants(database: Pick<Database, 'runUnprepared' | 'runReadOnly'>) {
  let isCluster: boolean | undefined;

  /** A node that does not respond in time is not reachable. */
  async function isReachable(node: number): Promise<boolean> {
    try {
      const [row] = await database.runReadOnly<{ success: boolean | null }>(probeOne, [node], probeSettings);
      return row?.success === true;
    } catch (error) {
      if (isOfNode(error)) return false;
      throw error;
    }
  }

  async function reachableNodes(nodes: readonly number[]): Promise<number[]> {
    try {
      const rows = await database.runReadOnly<{ node: number; success: boolean }>(
        probeAll,
        [],
        probeSettings,
      );
      return rows.filter(({ success }) => success).map(({ node }) => node);
    } catch (error) {
      if (!isOfNode(error)) throw error;
      const found = await Promise.all(nodes.map(isReachable));
      return nodes.filter((_node, index) => found[index]);
    }
  }

  /**
   * @returns the environments of the tenants whose worker responds, and the number of all.
   *   Undefined on one server
   * @throws DatabaseFailure if the coordinator does not respond, or if all connections are busy
   */
  return async (): Promise<{ environments: number[]; all: number } | undefined> => {
    isCluster ??= await readIsCluster(database);
    if (!isCluster) return undefined;
    const nodes = await database.runUnprepared<{ node: number; tenants: number[] }>(listTenants, []);
    const reachable = nodes.length === 0 ? [] : await reachableNodes(nodes.map(({ node }) => node));
    return {
      environments: nodes.filter(({ node }) => reachable.includes(node)).flatMap(({ tenants }) => tenants),
      all: nodes.flatMap(({ tenants }) => tenants).length,
    };
  };
}

/** A pool without a free connection says nothing about a node. */
const isOfNode = (error: unknown): boolean =>
  error instanceof DatabaseFailure && error.reason !== 'pool_exhausted';
