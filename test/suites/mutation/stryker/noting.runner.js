const BailingRunner = require('../bailing.runner.js');
const path = require('node:path');

const { noteKiller } = require('./notes.js');

/** Records which test file detected a mutant. It probably detects the neighboring mutants too. */
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
