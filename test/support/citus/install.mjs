import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

import { skipped } from '../debian-packages.mjs';

const skip = (reason) => {
  console.log(`skipped: ${reason}`);
  process.exit(skipped);
};

/** Citus 13.2.2 for Debian calls a function that PostgreSQL 15.20 added. */
const oldestMinor = 20;
const minorVersion = () => {
  const { stdout } = spawnSync('/usr/lib/postgresql/15/bin/postgres', ['--version'], { encoding: 'utf8' });
  return Number(/ 15\.(\d+)/.exec(stdout ?? '')?.[1] ?? 0);
};

/**
 * Installs Citus with the program of CITUS_INSTALL, or with the installer beside the checkout. If
 * there is none, or it is not for this machine, it says so and exits with 77.
 */
export function installCitus() {
  const besideCheckout = path.resolve('..', 'shared', 'citus', 'install-citus');
  const installer = process.env.CITUS_INSTALL ?? (existsSync(besideCheckout) ? besideCheckout : undefined);
  if (installer === undefined) skip('no Citus: set CITUS_INSTALL to a program that installs it');
  // Standard output is left to the report of the tests.
  const installed = spawnSync(installer, { stdio: ['ignore', process.stderr, process.stderr] });
  if (installed.status === skipped) process.exit(skipped);
  if (installed.status !== 0)
    skip(`${installer} failed (${installed.error?.message ?? `exit code ${installed.status}`})`);
  if (process.env.CITUS_POSTGRES === undefined && minorVersion() < oldestMinor) {
    spawnSync('apt-get', ['update', '-qq']);
    spawnSync('apt-get', ['install', '-y', '-qq', '--only-upgrade', 'postgresql-15']);
    if (minorVersion() < oldestMinor) skip(`PostgreSQL 15.${minorVersion()} is older than 15.${oldestMinor}`);
  }
}
