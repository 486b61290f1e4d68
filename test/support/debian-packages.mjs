// Programs that a command of the tests needs and that Debian has: installed if this is Debian and
// root.
import { execFileSync, spawnSync } from 'node:child_process';

/**
 * The exit code of a command that could not be run here, for a reason it has named: neither passed
 * nor failed.
 */
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
 * Ends the process with 77 and the reason when one of these programs cannot be had.
 * @param {{ program: string, packageName?: string, version?: string }[]} programs `version`: the
 *   option that makes it end at once
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
