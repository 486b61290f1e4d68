import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * In Stryker's first run, which has no mutant yet: notes for each test file which mutants its tests, hooks and imports
 * reach, and how long it takes. Stryker itself knows it by test, and not at all for what a hook reaches.
 */
type Hits = Record<string, number>;
interface StrykerContext {
  mutantCoverage?: { static: Hits; perTest: Record<string, Hits> };
}

const directory = process.env['MUTATION_COVERAGE_DIRECTORY'];
const context = (globalThis as { __stryker__?: StrykerContext }).__stryker__;

/** How often each mutant was reached so far: Stryker's counts go on from file to file. */
function countHits(): Map<string, number> {
  const counts = new Map<string, number>();
  const coverage = context?.mutantCoverage;
  for (const hits of coverage ? [coverage.static, ...Object.values(coverage.perTest)] : []) {
    for (const [id, count] of Object.entries(hits)) counts.set(id, (counts.get(id) ?? 0) + count);
  }
  return counts;
}

if (directory !== undefined && process.env['__STRYKER_ACTIVE_MUTANT__'] === undefined) {
  const before = countHits();
  const startedAt = performance.now();

  afterAll(() => {
    const mutants = [...countHits()].filter(([id, count]) => count > (before.get(id) ?? 0)).map(([id]) => id);
    const file = path.basename(expect.getState().testPath ?? '');
    mkdirSync(directory, { recursive: true });
    writeFileSync(
      path.join(directory, `${file}.json`),
      JSON.stringify({ file, mutants, milliseconds: performance.now() - startedAt }),
    );
  });
}
