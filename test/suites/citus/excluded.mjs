/**
 * The API tests that cannot run on Citus, at most ten, by file and full name, with the reason.
 * `npm run test:suite citus` leaves them out and prints them.
 */
export const excluded = [
  {
    file: 'test/api/event-relay.test.ts',
    name: 'killed at every statement a run of the relay is done as a whole or not at all',
    reason:
      'The test counts the statements of one session. On Citus, the functions run in sessions of several servers. The test with random kills runs there.',
  },
  {
    file: 'test/api/create-contribution-users.test.ts',
    name: 'an existing user takes no number from the sequence',
    reason: 'The test reads the sequence of the coordinator. On Citus, the worker of the tenant has its own.',
  },
];
