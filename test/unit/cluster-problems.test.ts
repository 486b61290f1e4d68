import { clusterProblems } from '../../src/db/citus/cluster-problems';
import type { ClusterState, NodeState } from '../../src/db/citus/cluster-state';
import { judgeCluster } from '../../src/db/citus/findings';
import { serviceSettings } from '../../src/db/session-settings';

const wanted = { statementMs: 2_000, lockMs: 500, idleInTransactionMs: 5_000 };
const node = (change: Partial<NodeState> = {}): NodeState => ({
  name: 'worker:5432',
  isCoordinator: false,
  unreachable: undefined,
  messages: 'C.UTF-8',
  settings: { ...serviceSettings(wanted), session_replication_role: 'origin' },
  clockAheadMs: 0,
  lackingPrivileges: [],
  publicFunctions: [],
  waitingCommits: 0,
  recoverEveryMs: 60_000,
  ...change,
});
const state = (change: Partial<NodeState> = {}): ClusterState => ({
  nodes: [node(change)],
  undistributed: [],
});

test('a cluster as configured has no problem, and doctor says so for each check', () => {
  expect(clusterProblems(state(), wanted)).toEqual([]);
  const findings = judgeCluster(state(), wanted);
  expect(findings).toHaveLength(9);
  expect(new Set(findings.map(({ status }) => status))).toEqual(new Set(['ok']));
});

test.each<[string, ClusterState, string, boolean]>([
  [
    'a node that does not respond',
    state({ unreachable: 'failed to connect' }),
    'worker:5432 does not respond',
    true,
  ],
  [
    'a limit of locks',
    state({ settings: { ...serviceSettings(wanted), lock_timeout: '1' } }),
    "On worker:5432, in sessions of the service's role, lock_timeout is 1 ms instead of 500 ms. Set DATABASE_TIMEOUTS=role",
    false,
  ],
  [
    'another form of dates',
    state({ settings: { DateStyle: 'German, DMY' } }),
    'DateStyle is German, DMY instead of ISO, MDY',
    false,
  ],
  [
    'a session without triggers',
    state({ settings: { session_replication_role: 'replica' } }),
    'session_replication_role is replica instead of origin',
    false,
  ],
  [
    'another encoding',
    state({ settings: { server_encoding: 'LATIN1' } }),
    'On worker:5432: The encoding of the database is LATIN1',
    false,
  ],
  ['messages in another language', state({ messages: 'de_DE.UTF-8' }), 'lc_messages is de_DE.UTF-8', false],
  ['missing privileges', state({ lackingPrivileges: ['users'] }), 'shards of users lack privileges', false],
  [
    'functions that everyone may execute',
    state({ publicFunctions: ['relay_events(integer)'] }),
    'On worker:5432, PUBLIC may execute relay_events(integer). ',
    false,
  ],
  ['a clock that is behind', state({ clockAheadMs: -1_500.4 }), '1500 ms behind', true],
  ['a clock that is ahead', state({ clockAheadMs: 1_001 }), '1001 ms ahead of', true],
  ['commits that wait', state({ waitingCommits: 2 }), 'has not finished 2 commits', true],
  [
    'a coordinator that finishes no commits',
    state({ isCoordinator: true, recoverEveryMs: -1 }),
    'citus.recover_2pc_interval is off',
    true,
  ],
  [
    'a coordinator that finishes commits late',
    state({ isCoordinator: true }),
    'citus.recover_2pc_interval is 60000 ms',
    true,
  ],
  ['no nodes', { nodes: [], undistributed: [] }, 'no nodes', false],
  ['tables on the coordinator', { nodes: [node()], undistributed: ['users'] }, 'npm run migrate', false],
])('%s is one problem', (_what, cluster, words, isTolerable) => {
  const problems = clusterProblems(cluster, wanted);
  expect(problems).toEqual([
    { check: expect.any(String), detail: expect.stringContaining(words), isTolerable },
  ]);
  const findings = judgeCluster(cluster, wanted).filter(({ status }) => status !== 'ok');
  expect(findings).toHaveLength(1);
});

test('a node that does not respond has one problem only, because its state is unknown', () => {
  const unknown = { messages: '', settings: {} };
  expect(clusterProblems(state({ unreachable: 'refused', ...unknown }), wanted)).toHaveLength(1);
});

test('a difference of the clocks within a second is no problem', () => {
  expect(clusterProblems(state({ clockAheadMs: -1_000 }), wanted)).toEqual([]);
});
