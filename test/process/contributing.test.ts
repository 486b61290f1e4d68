import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { longTest } from '../support/full-run';

/** Commands of CONTRIBUTING.md that no other test runs. */
const root = path.join(__dirname, '..', '..');

function run(args: string[], variables: NodeJS.ProcessEnv = {}): { status: number | null; output: string } {
  const environment = { ...process.env };
  delete environment['TEST_POSTGRES_URL'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    env: { ...environment, ...variables },
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

test('in watch mode, a second run gets a database of its own', () => {
  const twice = `
    const { default: setUp } = require('./test/support/global-setup');
    const { default: tearDown } = require('./test/support/global-teardown');
    (async () => { for (const run of [1, 2]) { await setUp(); await tearDown(); console.log('run', run); } })();`;
  const { status, output } = run(['-r', 'ts-node/register', '-e', twice]);
  expect(output).toContain('run 2');
  expect(status).toBe(0);
});

longTest('a mutation run of one module and one test file counts its mutants', () => {
  const { status, output } = run(
    ['test/suites/run.mjs', 'mutation', '--mutate', 'src/shared/money.ts', '--force'],
    { MUTATION_TESTS: 'test/unit/money.test.ts' },
  );
  expect(output).toMatch(/money\.ts .*\d/);
  expect(status).toBe(0);
});
