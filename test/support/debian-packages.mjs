// Installs the programs that a test command needs, if this is Debian and the user is root.
import { execFileSync, spawnSync } from 'node:child_process';

/** The exit code of a command that cannot run on this machine. The gate counts it as skipped. */
export const skipped = 77;

process.env.PATH += ':/usr/sbin';

const works = (program, ...programArguments) =>
  spawnSync(program, programArguments, { stdio: 'ignore' }).status === 0;

function reasonWithout({ program, packageName = program, version = '--version' }) {
  if (works(program, version)) return undefined;
  if (process.getuid?.() !== 0) return `${packageName} is not installed, and only root can install it`;
  if (!works('apt-get', '--version')) return `${packageName} is not installed, and there is no apt-get`;
  try {
    const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
    execFileSync('apt-get', ['update', '-qq'], options);
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', packageName], options);
  } catch (error) {
    return `apt-get could not install ${packageName}: ${error.message}`;
  }
  return works(program, version) ? undefined : `${packageName} is installed, but ${program} does not run`;
}

/**
 * Exits with 77 and a reason when one of these programs is missing and cannot be installed.
 *
 * @param {{ program: string, packageName?: string, version?: string }[]} programs `version`: the
 *   option that makes the program exit at once
 */
export function needPrograms(...programs) {
  for (const program of programs) {
    const reason = reasonWithout(program);
    if (reason === undefined) continue;
    console.log(`skipped: ${reason}`);
    process.exit(skipped);
  }
}

export const haproxy = { program: 'haproxy', version: '-v' };
export const openssl = { program: 'openssl', version: 'version' };
