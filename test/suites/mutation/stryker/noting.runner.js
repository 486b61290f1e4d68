const BailingRunner = require('../bailing.runner.js');
const path = require('node:path');

const { noteKiller } = require('./notes.js');

/** Notes which test file noticed a mutant: it probably notices the mutants next to it too. */
module.exports = class NotingRunner extends BailingRunner {
  async runTests(tests, watcher, options) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    const stopListening = this.on('test-file-success', ([test, { numFailingTests }]) => {
      if (mutant === undefined || numFailingTests === 0) return;
      noteKiller({ mutant: Number(mutant), file: path.relative(process.cwd(), test.path) });
    });
    await super.runTests(tests, watcher, options);
    stopListening();
  }
};
