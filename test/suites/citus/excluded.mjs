/**
 * The tests that cannot run on Citus, at most ten, by file and full name, with the reason. Without
 * names, the whole file is left out.
 * `npm run test:suite citus` leaves them out and prints them.
 */
const plans = (mode, subject) =>
  `with ${mode} the plan of ${subject} is the same for another company's data and for data that does not exist`;
const callers = ['a stranger', 'a bank no longer linked'];

export const excluded = [
  {
    file: 'test/cli/verification/corruptions.test.ts',
    reason:
      'The corruptions set session_replication_role and damage indexes, which reaches only the coordinator. The other tests of verify run there.',
  },
  {
    file: 'test/cli/catalogue.test.ts',
    names: ['contributions do not wait while the catalogue is changed'],
    reason:
      'FOR KEY SHARE locks a reference table on every node, and waits. The foreign key of a contribution locks one copy, and does not wait.',
  },
  {
    file: 'test/api/event-relay.test.ts',
    names: ['killed at every statement a run of the relay commits entirely or not at all'],
    reason:
      'The test counts the statements of one session. On Citus, the functions run in sessions of several servers. The test with random kills runs there.',
  },
  {
    file: 'test/api/create-contribution-users.test.ts',
    names: ['an existing user takes no number from the sequence'],
    reason: 'The test reads the sequence of the coordinator. On Citus, the worker of the tenant has its own.',
  },
  {
    file: 'test/api/tenancy-plans.test.ts',
    names: callers.flatMap((caller) => [
      plans('force_custom_plan', `completing, by ${caller}`),
      plans('force_generic_plan', `completing, by ${caller}`),
    ]),
    reason: 'auto_explain shows only the plans of one server, and fails on a function that runs on a worker.',
  },
  {
    file: 'test/api/tenancy-plans.test.ts',
    names: callers.map((caller) => plans('force_generic_plan', `reading, by ${caller}`)),
    reason: 'Citus makes no generic plan for this statement. The test with custom plans runs there.',
  },
];
