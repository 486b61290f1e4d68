import { type ClusterProblem, clusterProblems } from '../../../db/citus/cluster-problems';
import type { ClusterState } from '../../../db/citus/cluster-state';
import type { Timeouts } from '../../../db/roles/role-timeouts';
import type { Finding } from './findings';

const fine: Readonly<Record<ClusterProblem['check'], string>> = {
  distribution: 'all tables are distributed as declared',
  nodes: 'all nodes respond',
  timeouts: "the timeouts of the service's role match the settings on every node",
  messages: 'all nodes send English messages',
  privileges: 'all shards have the privileges of their tables',
  clocks: 'the clocks of the workers match the clock of the coordinator',
};

/** The checks of a Citus cluster: one finding for each problem, or one that all is fine. */
export function judgeCluster(state: ClusterState, wanted: Timeouts): Finding[] {
  const problems = clusterProblems(state, wanted);
  return (Object.keys(fine) as ClusterProblem['check'][]).flatMap((check) => {
    const found = problems.filter((problem) => problem.check === check);
    if (found.length === 0) return [{ check: `cluster: ${check}`, status: 'ok', detail: fine[check] }];
    return found.map(({ detail, isTolerable }): Finding => ({
      check: `cluster: ${check}`,
      status: isTolerable && check === 'clocks' ? 'warning' : 'problem',
      detail,
    }));
  });
}
