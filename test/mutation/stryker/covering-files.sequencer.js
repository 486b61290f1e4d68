const { readdirSync, readFileSync } = require('node:fs');
const path = require('node:path');

const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Runs only the test files that reach the active mutant, the quickest first. What each file reaches was noted in
 * Stryker's first run (record-coverage.ts), which has no mutant and runs them all.
 */
module.exports = class CoveringFilesSequencer extends Sequencer {
  sort(tests) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    const directory = process.env.MUTATION_COVERAGE_DIRECTORY;
    if (mutant === undefined || directory === undefined) return super.sort(tests);
    const covering = new Map(
      readdirSync(directory)
        .map((name) => JSON.parse(readFileSync(path.join(directory, name), 'utf8')))
        .filter(({ mutants }) => mutants.includes(mutant))
        .map(({ file, milliseconds }) => [file, milliseconds]),
    );
    const timeOf = (test) => covering.get(path.basename(test.path));
    return tests.filter((test) => timeOf(test) !== undefined).sort((a, b) => timeOf(a) - timeOf(b));
  }
};
