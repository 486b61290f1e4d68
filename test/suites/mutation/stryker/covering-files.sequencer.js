const { default: Sequencer } = require('@jest/test-sequencer');

const { killers, recordings } = require('./notes.js');

/**
 * The maximum number of test files that run for a mutant. A mutant that none of these detects
 * counts as survived.
 */
const mostFiles = 10;

/**
 * Runs only test files that reach the active mutant. The files that detected neighboring mutants
 * come first. Then come those that reach the fewest mutants, because they test this code most
 * directly.
 */
module.exports = class CoveringFilesSequencer extends Sequencer {
  sort(tests) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    if (mutant === undefined) return super.sort(tests);
    const covering = recordings().filter(({ mutants }) => mutants.includes(mutant));
    const noticed = killers();
    const distanceOf = (file) =>
      Math.min(
        ...noticed.filter((kill) => kill.file === file).map((kill) => Math.abs(kill.mutant - Number(mutant))),
      );
    const order = covering
      .map(({ file, mutants }) => ({ file, distance: distanceOf(file), reach: mutants.length }))
      .sort((a, b) => (a.distance === b.distance ? a.reach - b.reach : a.distance - b.distance))
      .map(({ file }) => file)
      .slice(0, mostFiles);
    const placeOf = (test) => order.findIndex((file) => test.path.endsWith(file));
    return tests.filter((test) => placeOf(test) >= 0).sort((a, b) => placeOf(a) - placeOf(b));
  }
};
