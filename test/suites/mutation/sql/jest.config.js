process.env.FULL_TEST_RUN = 'on';
// Mutants replace statements, so each test file loads its own modules.
const { runtime, testEnvironment, ...base } = require('../../../../jest.config.js');

/**
 * The tests that check what the service does with its database. Tests that stop the database are
 * left out: they may fail on a busy machine, and the failure would count as a detection. The
 * slowest test is left out too.
 */
module.exports = {
  ...base,
  rootDir: '../../../..',
  testMatch: [
    '<rootDir>/test/api/*.test.ts',
    '<rootDir>/test/cli/{contribution-lookup,keys,operator-actions,users}.test.ts',
    '<rootDir>/test/api/metrics/readings.test.ts',
    '<rootDir>/test/schema/invariants*.test.ts',
    '<rootDir>/test/schema/queries/*.test.ts',
  ],
  testPathIgnorePatterns: [
    '/node_modules/',
    'test/api/(database-failures|http-wire|projects-stories\\.model)',
  ],
  setupFilesAfterEnv: [...base.setupFilesAfterEnv, '<rootDir>/test/suites/mutation/sql/query-hook.ts'],
  runner: '<rootDir>/test/suites/mutation/bailing.runner.js',
  testSequencer: '<rootDir>/test/suites/mutation/sql/given-order.sequencer.js',
};
