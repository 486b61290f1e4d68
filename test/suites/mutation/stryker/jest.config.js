process.env.FULL_TEST_RUN = 'on';
// Mutants are in modules, so each test file loads its own.
const { runtime, testEnvironment, ...base } = require('../../../../jest.config.js');
const concernedTests = process.env.MUTATION_TESTS?.split(' ') ?? require('./concerned-tests.js');

module.exports = {
  ...base,
  rootDir: '../../../..',
  testMatch: concernedTests.map((files) => `<rootDir>/${files}`),
  setupFilesAfterEnv: [
    ...base.setupFilesAfterEnv,
    '<rootDir>/test/suites/mutation/stryker/record-coverage.js',
  ],
  testSequencer: '<rootDir>/test/suites/mutation/stryker/covering-files.sequencer.js',
  runner: '<rootDir>/test/suites/mutation/stryker/noting.runner.js',
};
