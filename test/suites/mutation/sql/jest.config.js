process.env.FULL_TEST_RUN = 'on';
const base = require('../../../../jest.config.js');

/**
 * The tests that look at what the service does with its database. Those that take the database away
 * are left out: they can fail by themselves on a busy machine, which would look as if they noticed
 * something. So is the one that takes longest.
 */
module.exports = {
  ...base,
  rootDir: '../../../..',
  testMatch: [
    '<rootDir>/test/api/*.test.ts',
    '<rootDir>/test/cli/{contribution-lookup,keys,operator-actions,users}.test.ts',
    '<rootDir>/test/api/metrics/readings.test.ts',
    '<rootDir>/test/schema/invariants*.test.ts',
    '<rootDir>/test/schema/statements/*.test.ts',
  ],
  testPathIgnorePatterns: [
    '/node_modules/',
    'test/api/(database-failures|http-wire|projects-stories\\.model)',
  ],
  setupFilesAfterEnv: [...base.setupFilesAfterEnv, '<rootDir>/test/suites/mutation/sql/statement-hook.ts'],
  runner: '<rootDir>/test/suites/mutation/bailing.runner.js',
  testSequencer: '<rootDir>/test/suites/mutation/sql/given-order.sequencer.js',
};
