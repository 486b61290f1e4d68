// npm run test:suite citus [-- PATTERNS]: runs the API tests and the Citus tests on a coordinator
// and two workers, then hostile input and rolling restarts. `--part` runs the part that the gate
// runs. With patterns, only the tests run.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { run } from 'jest';

import { installCitus } from '../../support/citus/install.mjs';
import { skipped } from '../../support/debian-packages.mjs';
import { excluded } from './excluded.mjs';

installCitus();

for (const { file, names = [], reason } of excluded) {
  const source = readFileSync(file, 'utf8');
  for (const name of names) {
    // The title is at the end of the full name, and describe.each fills in parts of it.
    const title = name.split(' ').slice(-3).join(' ');
    if (!source.includes(title)) throw new Error(`${file} has no test "${name}"`);
    console.log(`skipped: ${name}`);
  }
  if (names.length === 0) console.log(`skipped: ${file}`);
  console.log(`  because: ${reason}`);
}
const wholeFiles = excluded.filter(({ names }) => names === undefined).map(({ file }) => file);
const escaped = excluded.flatMap(({ names = [] }) => names).map((name) => name.replaceAll(/[^\w ]/g, '.'));

/**
 * The migration, startup, doctor and the loss of a worker, then who sees what, the feed,
 * corrections, and links that begin while contributions are written.
 */
const gatePart = [
  '\\.citus\\.ts$',
  'test/(api|cli)/(tenancy-matrix|events|bank-visibility|corrections)\\.test',
];

/** Left out of the gate, because each takes most of a minute. */
const notInGate = ['interrupted-commit\\.citus', 'webhooks\\.citus'];

// Of the model of contributions, and of the model of the catalogue.
process.env.MODEL_SEQUENCES ??= '1000';
// Of orders of statement files; each takes about a second here.
process.env.ORDER_CASES ??= '200';

const [, , ...options] = process.argv;
const rest = options.filter((option) => option !== '--part');
const isPart = rest.length < options.length && !rest.includes('--runTestsByPath');
await run([
  '--config',
  'jest.citus.config.js',
  '--testPathIgnorePatterns',
  ...wholeFiles.map((file) => file.replaceAll('.', '\\.')),
  ...(isPart ? notInGate : []),
  `--testNamePattern=^(?!(${escaped.join('|')})$)`,
  ...rest,
  ...(isPart ? gatePart : []),
]);

/** The suites that do not run in Jest. Each starts its own cluster. */
const others = [
  ['fuzz', '--citus', '--seed', '1', '--in-process', '5000', '--wire', '1000'],
  ['rolling-restarts', '--citus', '--restarts', '3'],
];

const isWhole = !isPart && rest.every((option) => /^--(maxWorkers=|runInBand$)/.test(option));
for (const [name, ...settings] of isWhole ? others : []) {
  console.log(`npm run test:suite ${name} -- ${settings.join(' ')}`);
  const { status } = spawnSync(process.execPath, ['test/suites/run.mjs', name, ...settings], {
    stdio: 'inherit',
  });
  if (status !== 0 && status !== skipped) process.exitCode = 1;
}
