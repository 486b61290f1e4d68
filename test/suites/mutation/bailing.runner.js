const { default: Runner } = require('jest-runner');

/**
 * Stops after the first test file that fails while there is a mutant. Stryker cannot ask jest to
 * bail, and when jest is asked itself it leaves without a report.
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
