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
  // npm run test:suite mutation sql mutates the text of SQL.
  ignorers: ['sql-text'],
  coverageAnalysis: 'perTest',
  // Unneeded, because each source file is transpiled without a type check.
  disableTypeChecks: false,
  concurrency: 3,
  // Jest's memory grows with each run.
  maxTestRunnerReuse: 30,
  incremental: true,
  incrementalFile: 'reports/mutation/incremental.json',
  // A long limit, because a mutant that times out counts as detected.
  timeoutMS: 20_000,
  dryRunTimeoutMinutes: 10,
  reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false, allowEmojis: false },
  htmlReporter: { fileName: 'reports/mutation/index.html' },
  jsonReporter: { fileName: 'reports/mutation/mutation.json' },
  tempDirName: 'reports/stryker-tmp',
  // Do not ignore docs: tests read the OpenAPI document, and startup reads the guides.
  ignorePatterns: ['/dist*', '/packages/*/dist*', '/reports', '/.data', '/.ci'],
  thresholds: { high: 95, low: 85, break: 85 },
};
