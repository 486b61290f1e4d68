// npm run test:suite citus [-- PATTERNS]: runs the API tests and the Citus tests on a coordinator
// and two workers. `--part` runs the part that the gate runs. Citus is installed by the program of
// CITUS_INSTALL, or by the installer beside the checkout. If there is none, or it is not for this
// machine, the command says so and exits with 77.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { run } from 'jest';

import { skipped } from '../../support/debian-packages.mjs';
import { excluded } from './excluded.mjs';

const skip = (reason) => {
  console.log(`skipped: ${reason}`);
  process.exit(skipped);
};

const besideCheckout = path.resolve('..', 'shared', 'citus', 'install-citus');
const installer = process.env.CITUS_INSTALL ?? (existsSync(besideCheckout) ? besideCheckout : undefined);
if (installer === undefined) skip('no Citus: set CITUS_INSTALL to a program that installs it');
const installed = spawnSync(installer, { stdio: 'inherit' });
if (installed.status === skipped) process.exit(skipped);
if (installed.status !== 0)
  skip(`${installer} failed (${installed.error?.message ?? `exit code ${installed.status}`})`);

/** Citus 13.2.2 for Debian calls a function that PostgreSQL 15.20 added. */
const oldestMinor = 20;
const minorVersion = () => {
  const { stdout } = spawnSync('/usr/lib/postgresql/15/bin/postgres', ['--version'], { encoding: 'utf8' });
  return Number(/ 15\.(\d+)/.exec(stdout ?? '')?.[1] ?? 0);
};
if (process.env.CITUS_POSTGRES === undefined && minorVersion() < oldestMinor) {
  spawnSync('apt-get', ['update', '-qq']);
  spawnSync('apt-get', ['install', '-y', '-qq', '--only-upgrade', 'postgresql-15']);
  if (minorVersion() < oldestMinor) skip(`PostgreSQL 15.${minorVersion()} is older than 15.${oldestMinor}`);
}

for (const { file, names, reason } of excluded) {
  const source = readFileSync(file, 'utf8');
  for (const name of names) {
    // The title is at the end of the full name, and describe.each fills in parts of it.
    const title = name.split(' ').slice(-3).join(' ');
    if (!source.includes(title)) throw new Error(`${file} has no test "${name}"`);
    console.log(`left out: ${name}`);
  }
  console.log(`  because: ${reason}`);
}
const escaped = excluded.flatMap(({ names }) => names).map((name) => name.replaceAll(/[^\w ]/g, '.'));

/**
 * The migration, startup, doctor and the loss of a worker, then who sees what, the feed, and links
 * that begin while contributions are written.
 */
const gatePart = ['\\.citus\\.ts$', 'test/api/(tenancy-matrix|events|bank-visibility)\\.test'];

const [, , ...options] = process.argv;
const rest = options.filter((option) => option !== '--part');
const isPart = rest.length < options.length && !rest.includes('--runTestsByPath');
await run([
  '--config',
  'jest.citus.config.js',
  `--testNamePattern=^(?!(${escaped.join('|')})$)`,
  ...rest,
  ...(isPart ? gatePart : []),
]);
