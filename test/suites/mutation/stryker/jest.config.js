process.env.FULL_TEST_RUN = 'on';
const base = require('../../../../jest.config.js');

/**
 * The tests that Stryker runs: those of the mutated code itself, and those of the service that
 * concern money, transaction ids, idempotency, authentication and tenancy. Leaving one out can only
 * lower the score. Those that wait for time-outs are left out: on a busy machine they can fail by
 * themselves, which would look as if they noticed something.
 */
const concerned = [
  'test/unit/{config,credentials,cursor,database-errors,fields,key-pair-cache,money,transaction-id}',
  'test/api/{authentication*,bank*,complet*,create-*,database-failures,idempotency,list-*,tenancy}',
  'test/api/projects-{input,paging}',
  'test/api/slow-statements',
  'test/api/metrics/{metrics,readings,refusals}',
  'test/schema/statements/*',
];

module.exports = {
  ...base,
  rootDir: '../../../..',
  testMatch: concerned.map((files) => `<rootDir>/${files}.test.ts`),
  setupFilesAfterEnv: [
    ...base.setupFilesAfterEnv,
    '<rootDir>/test/suites/mutation/stryker/record-coverage.js',
  ],
  testSequencer: '<rootDir>/test/suites/mutation/stryker/covering-files.sequencer.js',
  runner: '<rootDir>/test/suites/mutation/stryker/noting.runner.js',
};
