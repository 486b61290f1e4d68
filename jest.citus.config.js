// The tests of the API and of the model on a Citus cluster: npm run test:suite citus.
process.env.FULL_TEST_RUN = 'on';
// A run of one file loads modules that read this before the nodes start.
process.env.TEST_CITUS_NODES ??= '[]';
const common = require('./jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...common,
  testMatch: [
    '<rootDir>/test/api/**/*.test.ts',
    '<rootDir>/test/cli/**/*.test.ts',
    '<rootDir>/test/suites/citus/**/*.citus.ts',
    '<rootDir>/test/suites/model/contributions.model.test.ts',
  ],
  globalSetup: '<rootDir>/test/support/citus/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/citus/global-teardown.ts',
  // Starting three nodes takes a minute on an idle machine.
  testTimeout: 300_000,
};
