const path = require('node:path');

const { record } = require('./notes.js');

/**
 * In Stryker's first run, which has no mutant yet: notes for each test file which mutants its
 * tests, hooks and imports reach. Stryker itself knows it by test, and not at all for what a hook
 * reaches.
 *
 * @returns {Map<string, number>} how often each mutant was reached so far: the counts go on from
 *   file to file
 */
function countHits() {
  const coverage = globalThis.__stryker__?.mutantCoverage ?? { static: {}, perTest: {} };
  const counts = new Map();
  for (const hits of [coverage.static, ...Object.values(coverage.perTest)]) {
    for (const [id, count] of Object.entries(hits)) counts.set(id, (counts.get(id) ?? 0) + count);
  }
  return counts;
}

if (process.env.__STRYKER_ACTIVE_MUTANT__ === undefined) {
  const before = countHits();
  afterAll(() => {
    const mutants = [...countHits()].filter(([id, count]) => count > (before.get(id) ?? 0)).map(([id]) => id);
    record({ file: path.relative(process.cwd(), expect.getState().testPath ?? ''), mutants });
  });
}
