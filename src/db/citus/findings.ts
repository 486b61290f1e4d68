import type { Queries } from '../operator-transaction';
import { differingSettings, sessionSettings, superuserSettings, type Timeouts } from '../session-settings';
import { type ClusterProblem, clusterProblems } from './cluster-problems';
import { type ClusterState, readClusterState } from './cluster-state';
import { type DifferingCopies, findDifferingCopies } from './reference-copies';

/** What `doctor` finds. */
interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'problem';
  detail: string;
}

/** A login of an operator or of the owner. */
interface Login {
  purpose: string;
  role: string;
  read: Read;
}

/** Reads in one transaction. */
type Read = <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;

/**
 * Checks the cluster. Finds nothing on one server.
 *
 * @param service reads with the login of the service
 * @param logins the other logins. The first one may read all tables. Each must reach all nodes,
 *   because the coordinator connects to the other nodes with the login of the command
 * @returns whether the checks that read the rows of all nodes can follow
 */
export async function examineCluster(
  service: Read,
  logins: readonly Login[],
  wanted: Timeouts,
): Promise<{ findings: Finding[]; canContinue: boolean }> {
  const ofService = await service(readClusterState);
  if (ofService === undefined) return { findings: [], canContinue: true };
  const reach: Finding[] = [];
  for (const { purpose, role, read } of logins) {
    const ofLogin = await read(readClusterState);
    if (ofLogin !== undefined) reach.push(...judgeReach(purpose, role, { ofLogin, ofService }));
  }
  const findings = [...judgeCluster(ofService, wanted), ...reach];
  const isOutOfReach =
    reach.some(({ status }) => status === 'problem') ||
    ofService.nodes.some(({ unreachable }) => unreachable !== undefined);
  if (isOutOfReach) return { findings, canContinue: false };
  const [reader] = logins;
  const copies = reader ? judgeCopies(await reader.read(findDifferingCopies)) : [];
  return { findings: [...findings, ...copies], canContinue: true };
}

const okDetails: Readonly<Record<ClusterProblem['check'], string>> = {
  distribution: 'all tables are distributed as declared',
  nodes: 'all nodes respond',
  settings: "the session settings of the service's role are correct on every node",
  messages: 'all nodes send English messages',
  privileges: 'all shards have the privileges of their tables',
  functions: 'PUBLIC may execute no more functions on a node than on the coordinator',
  clocks: 'the clocks of the workers match the clock of the coordinator',
  commits: 'no commit waits for the coordinator',
  recovery: 'the coordinator finishes interrupted commits within seconds',
};

const warnings: ReadonlySet<ClusterProblem['check']> = new Set(['clocks', 'recovery']);

/** Returns one finding for each problem, or a single `ok` finding. */
export function judgeCluster(state: ClusterState, wanted: Timeouts): Finding[] {
  const problems = clusterProblems(state, wanted);
  return (Object.keys(okDetails) as ClusterProblem['check'][]).flatMap((check) => {
    const found = problems.filter((problem) => problem.check === check);
    if (found.length === 0) return [{ check: `cluster: ${check}`, status: 'ok', detail: okDetails[check] }];
    return found.map(({ detail, isTolerable }): Finding => ({
      check: `cluster: ${check}`,
      status: isTolerable && warnings.has(check) ? 'warning' : 'problem',
      detail,
    }));
  });
}

/** The coordinator sends a node the names of schemas, so the search path does not matter. */
const neededOnNodes = Object.fromEntries(
  Object.entries({ ...sessionSettings, ...superuserSettings }).filter(([name]) => name !== 'search_path'),
);

/**
 * Checks that a login reaches all nodes that the service reaches, and that its sessions there have
 * the session settings. Returns one finding for each problem of a node.
 */
function judgeReach(
  purpose: string,
  role: string,
  { ofLogin, ofService }: { ofLogin: ClusterState; ofService: ClusterState },
): Finding[] {
  const check = `${purpose}: nodes`;
  const isDead = new Map(ofService.nodes.map(({ name, unreachable }) => [name, unreachable !== undefined]));
  const rejected = ofLogin.nodes.filter(
    ({ name, unreachable }) => unreachable !== undefined && !isDead.get(name),
  );
  const problem = (detail: string): Finding => ({ check, status: 'problem', detail });
  const problems = [
    ...rejected.map(({ name, unreachable }) =>
      problem(
        `${role} cannot connect to ${name} (${unreachable}). Create the login on that node, and add its password to pg_dist_authinfo on every node: see docs/operations/scale.md.`,
      ),
    ),
    ...ofLogin.nodes.flatMap(({ name, settings }) => {
      const words = differingSettings(neededOnNodes, settings).join(', ');
      return words === ''
        ? []
        : problem(
            `On ${name}, in sessions of ${role}, ${words}. For the owner, set DATABASE_TIMEOUTS=role and run npm run migrate. For another login, run on that node: SET citus.enable_alter_role_set_propagation = off; ALTER ROLE ${role} IN DATABASE … SET …`,
          );
    }),
  ];
  return problems.length > 0 ? problems : [{ check, status: 'ok', detail: `${role} reaches every node` }];
}

/**
 * Checks the copies of the reference tables. With differing links, for example, a company could
 * complete its own contributions.
 */
function judgeCopies(differing: readonly DifferingCopies[]): Finding[] {
  const check = 'cluster: copies';
  if (differing.length === 0)
    return [{ check, status: 'ok', detail: 'the copies of every reference table are the same on all nodes' }];
  return differing.map(({ table, nodes }) => ({
    check,
    status: 'problem',
    detail: `The copies of ${table} on ${nodes.join(', ')} differ from the coordinator's. Correct them now: see "Copies that differ" in docs/operations/scale.md.`,
  }));
}
