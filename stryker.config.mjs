import mutatedFiles from './test/suites/mutation/stryker/mutated-files.js';

/**
 * Mutation testing of the code that handles money, identifiers, idempotency, authentication and
 * tenancy. Start it with `npm run test:suite mutation`, which gives it a PostgreSQL; see
 * docs/mutation-testing.md.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: mutatedFiles,
  testRunner: 'jest',
  jest: { configFile: 'test/suites/mutation/stryker/jest.config.js', enableFindRelatedTests: false },
  plugins: ['@stryker-mutator/jest-runner', './test/suites/mutation/stryker/sql-text-ignorer.mjs'],
  // The text of SQL has mutants of its own: npm run test:suite mutation sql.
  ignorers: ['sql-text'],
  coverageAnalysis: 'perTest',
  // The sources are compiled one by one, so what Stryker does to their types matters to nobody.
  disableTypeChecks: false,
  concurrency: 3,
  // jest keeps memory from run to run.
  maxTestRunnerReuse: 30,
  incremental: true,
  incrementalFile: 'reports/mutation/incremental.json',
  // Long, because a mutant that only was slow would count as noticed.
  timeoutMS: 20_000,
  dryRunTimeoutMinutes: 10,
  reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false, allowEmojis: false },
  htmlReporter: { fileName: 'reports/mutation/index.html' },
  jsonReporter: { fileName: 'reports/mutation/mutation.json' },
  tempDirName: 'reports/stryker-tmp',
  // Not docs: tests read the OpenAPI document there, and the service its guides when it starts.
  ignorePatterns: ['dist*', 'reports', '.data', '.ci'],
  thresholds: { high: 95, low: 85, break: 85 },
};
