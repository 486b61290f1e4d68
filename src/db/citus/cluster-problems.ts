import {
  differingSettings,
  encodingProblem,
  serviceSettings,
  superuserSettings,
  type Timeouts,
} from '../session-settings';
import type { Database } from '../pool/database';
import { type ClusterState, type NodeState, readClusterState, waitingSeconds } from './cluster-state';

/** A problem of the cluster. */
export interface ClusterProblem {
  check:
    | 'distribution'
    | 'nodes'
    | 'settings'
    | 'messages'
    | 'privileges'
    | 'functions'
    | 'clocks'
    | 'commits'
    | 'recovery';
  /** Describes the problem and how to solve it. */
  detail: string;
  /**
   * Whether the tenants of the other nodes can still be served correctly. Startup
   * fails otherwise.
   */
  isTolerable: boolean;
}

/** A larger difference makes `complete_until` and the order of times misleading. */
const clockToleranceMs = 1_000;
/** The longest time for which a worker may lack a change whose commit was interrupted. */
const recoveryToleranceMs = 10_000;
/** The locales whose messages `citus-errors.ts` can read. */
const englishMessages = /^(C|POSIX|en_)/;

/** All problems of the cluster, for startup. Undefined on PostgreSQL without Citus. */
export async function readClusterProblems(
  database: Pick<Database, 'runUnprepared'>,
  wanted: Timeouts,
): Promise<ClusterProblem[] | undefined> {
  const state = await readClusterState(database);
  return state && clusterProblems(state, wanted);
}

/** All problems of a cluster in this state. */
export function clusterProblems(state: ClusterState, wanted: Timeouts): ClusterProblem[] {
  const reachable = state.nodes.filter(({ unreachable }) => unreachable === undefined);
  return [
    ...distributionProblems(state),
    ...state.nodes.flatMap(nodeProblems),
    ...reachable.flatMap((node) => sessionProblems(node, wanted)),
    ...reachable.flatMap(settingProblems),
    ...reachable.flatMap(commitProblems),
  ];
}

function distributionProblems({ nodes, undistributed }: ClusterState): ClusterProblem[] {
  const problems: ClusterProblem[] = [];
  if (nodes.length === 0) {
    problems.push({
      check: 'nodes',
      detail:
        'The cluster has no nodes. Run citus_set_coordinator_host and citus_add_node on the coordinator.',
      isTolerable: false,
    });
  }
  if (undistributed.length > 0) {
    problems.push({
      check: 'distribution',
      detail: `The tables ${undistributed.join(', ')} are not distributed. Run: npm run migrate`,
      isTolerable: false,
    });
  }
  return problems;
}

function nodeProblems({ name, unreachable }: NodeState): ClusterProblem[] {
  if (unreachable === undefined) return [];
  const detail = `The node ${name} does not respond (${unreachable}). Requests of its tenants get 503. Restart it, or fail over to its standby.`;
  return [{ check: 'nodes', detail, isTolerable: true }];
}

/**
 * Checks the session settings of a node, because settings that the service sends with its
 * connections do not reach the workers.
 */
function sessionProblems({ name, settings }: NodeState, wanted: Timeouts): ClusterProblem[] {
  const wrong = differingSettings({ ...serviceSettings(wanted), ...superuserSettings }, settings);
  if (wrong.length === 0) return [];
  const detail = `On ${name}, in sessions of the service's role, ${wrong.join(', ')}. Set DATABASE_TIMEOUTS=role and run: npm run migrate. If session_replication_role differs, RESET it there as a superuser.`;
  return [{ check: 'settings', detail, isTolerable: false }];
}

function settingProblems(node: NodeState): ClusterProblem[] {
  const problems: ClusterProblem[] = [];
  const encoding = encodingProblem(node.settings['server_encoding']);
  if (encoding !== undefined) {
    problems.push({ check: 'settings', detail: `On ${node.name}: ${encoding}`, isTolerable: false });
  }
  if (!englishMessages.test(node.messages)) {
    problems.push({
      check: 'messages',
      detail: `On ${node.name}, lc_messages is ${node.messages}, so the service cannot read errors of workers. Set lc_messages = 'C' in postgresql.conf of every node.`,
      isTolerable: false,
    });
  }
  if (node.lackingPrivileges.length > 0) {
    problems.push({
      check: 'privileges',
      detail: `On ${node.name}, shards of ${node.lackingPrivileges.join(', ')} lack privileges of their table. Grant the privileges of the table again on the coordinator, as in the migrations.`,
      isTolerable: false,
    });
  }
  if (node.publicFunctions.length > 0) {
    problems.push({
      check: 'functions',
      detail: `On ${node.name}, PUBLIC may execute ${node.publicFunctions.join(', ')}. Every login that reaches this node's database can call these functions. Run: npm run migrate`,
      isTolerable: false,
    });
  }
  const aheadMs = Math.round(node.clockAheadMs);
  if (Math.abs(aheadMs) > clockToleranceMs) {
    problems.push({
      check: 'clocks',
      detail: `The clock of ${node.name} is ${Math.abs(aheadMs)} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} the coordinator's. Synchronize all nodes with NTP.`,
      isTolerable: true,
    });
  }
  return problems;
}

/** Checks commits on several nodes. A worker lacks its part of an interrupted commit. */
function commitProblems({
  name,
  isCoordinator,
  waitingCommits,
  recoverEveryMs,
}: NodeState): ClusterProblem[] {
  const problems: ClusterProblem[] = [];
  if (waitingCommits > 0) {
    problems.push({
      check: 'commits',
      detail: `On ${name}, the coordinator has not finished ${waitingCommits === 1 ? 'a commit' : `${waitingCommits} commits`} for more than ${waitingSeconds} seconds. The node can lack a change of a company or a bank link. Run on the coordinator: SELECT recover_prepared_transactions()`,
      isTolerable: true,
    });
  }
  if (isCoordinator && (recoverEveryMs < 0 || recoverEveryMs > recoveryToleranceMs)) {
    const found = recoverEveryMs < 0 ? 'off' : `${recoverEveryMs} ms`;
    problems.push({
      check: 'recovery',
      detail: `On ${name}, citus.recover_2pc_interval is ${found}, so a worker can lack a change of a company or a bank link for long. Set it to 5s in postgresql.conf of the coordinator.`,
      isTolerable: true,
    });
  }
  return problems;
}
