const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Runs test files in the order in which they were named, so that the likely killer of a mutant
 * comes first.
 */
module.exports = class GivenOrderSequencer extends Sequencer {
  sort(tests) {
    if (process.env.MUTATION_TEST_FILES === undefined) return super.sort(tests);
    const order = JSON.parse(process.env.MUTATION_TEST_FILES);
    const placeOf = (test) => order.findIndex((file) => test.path.endsWith(file));
    return [...tests].sort((a, b) => placeOf(a) - placeOf(b));
  }
};
