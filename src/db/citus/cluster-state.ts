import type { Database } from '../pool/database';
import { settingNames, type SessionSettings } from '../session-settings';
import { readIsCluster } from './has-citus';
import { isClosed, publicFunctions } from './public-functions';
import { tableKinds } from './table-kinds';

/** The state that a node reports, on a connection of the calling role. */
export interface NodeState {
  /** For example `10.0.0.2:5432`. */
  name: string;
  isCoordinator: boolean;
  /** Why the node does not respond. All other fields are then empty. */
  unreachable: string | undefined;
  /** `lc_messages` of the node. */
  messages: string;
  /** The settings of the role's sessions on this node, and `server_encoding`. */
  settings: SessionSettings;
  /** How far its clock is ahead of the coordinator's, at least. Negative if it is behind. */
  clockAheadMs: number;
  /** The tables with a shard on this node that lacks a privilege of its table. */
  lackingPrivileges: string[];
  /** The functions that PUBLIC may execute on this node, but not on the coordinator. */
  publicFunctions: string[];
  /** The transactions that have waited for the coordinator's commit for `waitingSeconds`. */
  waitingCommits: number;
  /** `citus.recover_2pc_interval` of the node; -1 is off. */
  recoverEveryMs: number;
}

/** The coordinator finishes an interrupted commit in less time. */
export const waitingSeconds = 15;

export interface ClusterState {
  nodes: NodeState[];
  /**
   * Tables that should be distributed or reference tables, but are still only on the coordinator.
   */
  undistributed: string[];
}

/** Runs on every node. The shards of this node are the tables that `shard_name()` names. */
const askNode = `
  SELECT json_build_object(
    'messages', current_setting('lc_messages'),
    'settings', (
      SELECT json_object_agg(name, setting) FROM pg_settings
       WHERE name IN (${[...settingNames, 'server_encoding'].map((name) => `'${name}'`).join(', ')})
    ),
    'nowMs', extract(epoch FROM clock_timestamp()) * 1000,
    'waitingCommits', (
      SELECT count(*) FROM pg_prepared_xacts p
       WHERE p.database = current_database() AND p.gid LIKE 'citus\\_%'
         AND p.prepared < clock_timestamp() - interval '${waitingSeconds} seconds'
    ),
    'recoverEveryMs', (SELECT setting::bigint FROM pg_settings WHERE name = 'citus.recover_2pc_interval'),
    'publicFunctions', ${publicFunctions},
    'lackingPrivileges', (
      SELECT COALESCE(json_agg(DISTINCT s.logicalrelid::text), '[]'::json)
        FROM pg_dist_shard s
       CROSS JOIN LATERAL (SELECT to_regclass(shard_name(s.logicalrelid, s.shardid)) AS id) AS shard
       WHERE shard.id IS NOT NULL AND EXISTS (
         SELECT a.attname, g.grantee, g.privilege_type
           FROM pg_attribute a CROSS JOIN aclexplode(a.attacl) g WHERE a.attrelid = s.logicalrelid AND a.attnum > 0
         EXCEPT
         SELECT a.attname, g.grantee, g.privilege_type
           FROM pg_attribute a CROSS JOIN aclexplode(a.attacl) g WHERE a.attrelid = shard.id
       )
    )
  )`;

const askNodes = `
  SELECT clock.at AS asked_at, concat(n.nodename, ':', n.nodeport) AS name, n.groupid = 0 AS is_coordinator,
         r.success, r.result
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at) AS clock
   CROSS JOIN LATERAL run_command_on_all_nodes($1) r
    JOIN pg_dist_node n ON n.nodeid = r.nodeid
   ORDER BY n.groupid, n.nodeid`;

interface NodeRow {
  asked_at: number;
  name: string;
  is_coordinator: boolean;
  success: boolean;
  /** The reply of {@link askNode}, or the error. */
  result: string;
}

interface NodeReply {
  messages: string;
  settings: SessionSettings;
  nowMs: number;
  lackingPrivileges: string[];
  publicFunctions: string[];
  waitingCommits: number;
  recoverEveryMs: number;
}

/**
 * Asks every node of the cluster.
 *
 * @returns undefined on PostgreSQL without Citus
 * @throws DatabaseFailure if the coordinator does not respond in time, or waits for a frozen worker
 */
export async function readClusterState(
  database: Pick<Database, 'runUnprepared'>,
): Promise<ClusterState | undefined> {
  if (!(await readIsCluster(database))) return undefined;
  const rows = await database.runUnprepared<NodeRow>(askNodes, [askNode]);
  const [after] = await database.runUnprepared<{ at: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at',
    [],
  );
  const nodes = rows.map((row) => toNodeState(row, after?.at ?? row.asked_at));
  const closed = await readClosed(database, nodes);
  return {
    nodes: nodes.map((node) => ({
      ...node,
      publicFunctions: node.publicFunctions.filter((name) => closed.has(name)),
    })),
    undistributed: await readUndistributed(database),
  };
}

const noReply = {
  messages: '',
  settings: {},
  clockAheadMs: 0,
  lackingPrivileges: [],
  publicFunctions: [],
  waitingCommits: 0,
  recoverEveryMs: 0,
};

function toNodeState(row: NodeRow, repliedAt: number): NodeState {
  const base = { name: row.name, isCoordinator: row.is_coordinator };
  if (!row.success) {
    return { ...base, ...noReply, unreachable: row.result };
  }
  const { nowMs, ...reply } = JSON.parse(row.result) as NodeReply;
  // The node's clock was read between two readings of the coordinator's clock.
  const clockAheadMs = Math.max(0, nowMs - repliedAt) + Math.min(0, nowMs - row.asked_at);
  return { ...base, ...reply, clockAheadMs, unreachable: undefined };
}

/** The functions among those of the nodes that PUBLIC may not execute on the coordinator. */
async function readClosed(
  database: Pick<Database, 'runUnprepared'>,
  nodes: readonly NodeState[],
): Promise<Set<string>> {
  const rows = await database.runUnprepared<{ name: string }>(
    `SELECT f.name FROM unnest($1::text[]) AS f (name) WHERE ${isClosed('f.name')}`,
    [[...new Set(nodes.flatMap((node) => node.publicFunctions))]],
  );
  return new Set(rows.map(({ name }) => name));
}

async function readUndistributed(database: Pick<Database, 'runUnprepared'>): Promise<string[]> {
  const onWorkers = Object.keys(tableKinds).filter((table) => tableKinds[table] !== 'local');
  const rows = await database.runUnprepared<{ name: string }>(
    `SELECT t.name FROM unnest($1::text[]) AS t (name)
      WHERE to_regclass(t.name) IS NOT NULL
        AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = to_regclass(t.name))
      ORDER BY t.name`,
    [onWorkers],
  );
  return rows.map(({ name }) => name);
}
