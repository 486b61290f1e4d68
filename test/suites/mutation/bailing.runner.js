const { default: Runner } = require('jest-runner');

/**
 * While a mutant is active, stops after the first test file that fails. Stryker cannot set Jest's
 * option `bail`, and with that option Jest exits without a report.
 */
module.exports = class BailingRunner extends Runner {
  async runTests(tests, watcher, options) {
    const hasMutant =
      (process.env.__STRYKER_ACTIVE_MUTANT__ ?? process.env.MUTATION_TEST_FILES) !== undefined;
    if (!hasMutant) return super.runTests(tests, watcher, options);
    let hasFailed = false;
    const stopListening = [
      this.on('test-file-failure', () => {
        hasFailed = true;
      }),
      this.on('test-file-success', ([, result]) => {
        hasFailed ||= result.numFailingTests > 0;
      }),
    ];
    for (const test of tests) {
      if (hasFailed) break;
      await super.runTests([test], watcher, options);
    }
    for (const stop of stopListening) stop();
  }
};
