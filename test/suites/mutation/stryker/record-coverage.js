const path = require('node:path');

const { record } = require('./notes.js');

/**
 * In Stryker's first run, without a mutant: records which mutants the tests, hooks and imports of
 * each test file reach. Stryker itself records this for tests only.
 *
 * @returns {Map<string, number>} how often each mutant was reached so far. The counts continue from
 * file to file.
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
