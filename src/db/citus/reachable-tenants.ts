import { DatabaseFailure } from '../errors';
import type { Database } from '../pool/database';
import { readHasCitus } from './has-citus';
import { colocationTable } from './table-kinds';

/** Finds the tenants whose worker responds. */
export interface ReachableTenants {
  /**
   * @returns from 0 to 1; undefined on PostgreSQL, where all tenants are on the same server
   * @throws DatabaseFailure if the coordinator does not respond, or if all connections are busy
   */
  share(): Promise<number | undefined>;
  /**
   * @returns the environments of the tenants whose worker responds; undefined on PostgreSQL
   * @throws DatabaseFailure if the coordinator does not respond
   */
  environments(): Promise<number[] | undefined>;
}

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
/** The list of tenants is cached for this time, because tenants are rarely created or moved. */
const listedForMs = 30_000;

type Tenants = ReadonlyMap<number, readonly number[]>;

export function createReachableTenants(
  database: Pick<Database, 'runUnprepared' | 'runReadOnly'>,
  now: () => number = () => performance.now(),
): ReachableTenants {
  let hasCitus: boolean | undefined;
  let listed: { tenants: Tenants; at: number } | undefined;

  async function readTenants(): Promise<Tenants> {
    if (listed !== undefined && now() - listed.at < listedForMs) return listed.tenants;
    const rows = await database.runUnprepared<{ node: number; tenants: number[] }>(listTenants, []);
    listed = { tenants: new Map(rows.map(({ node, tenants }) => [node, tenants])), at: now() };
    return listed.tenants;
  }

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

  /** Undefined on PostgreSQL. */
  async function find(): Promise<{ all: number; reachable: number[] } | undefined> {
    hasCitus ??= await readHasCitus(database);
    if (!hasCitus) return undefined;
    const tenants = await readTenants();
    const nodes = tenants.size === 0 ? [] : await reachableNodes([...tenants.keys()]);
    return {
      all: sum([...tenants.values()].map(({ length }) => length)),
      reachable: nodes.flatMap((node) => tenants.get(node) ?? []),
    };
  }

  return {
    async share() {
      const found = await find();
      if (found === undefined) return undefined;
      return found.all === 0 ? 1 : found.reachable.length / found.all;
    },
    environments: async () => (await find())?.reachable,
  };
}

/** A pool without a free connection says nothing about a node. */
const isOfNode = (error: unknown): boolean =>
  error instanceof DatabaseFailure && error.reason !== 'pool_exhausted';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
