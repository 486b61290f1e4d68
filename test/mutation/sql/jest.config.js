const base = require('../../../jest.config.js');

/** The tests that look at what the service does with its database. */
module.exports = {
  ...base,
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/api/*.test.ts', '<rootDir>/test/schema/invariants*.test.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/mutation/sql/statement-hook.ts'],
  runner: '<rootDir>/test/mutation/bailing.runner.js',
  testSequencer: '<rootDir>/test/mutation/sql/given-order.sequencer.js',
};
