// npm run test:haproxy: the rules of HTTPS behind a real haproxy, which is installed if this is Debian and root. Where it cannot
// be had, the command says so and ends with 77, which is neither passed nor failed.
import { execFileSync, spawnSync } from 'node:child_process';

import { run } from 'jest';

process.env.PATH += ':/usr/sbin';
const skipped = 77;

const works = (program, ...programArguments) =>
  spawnSync(program, programArguments, { stdio: 'ignore' }).status === 0;

function reasonWithout(program, packageName) {
  if (works(program, program === 'openssl' ? 'version' : '-v')) return undefined;
  if (process.getuid?.() !== 0) return `${packageName} is not installed, and only root can install it`;
  if (!works('apt-get', '--version')) return `${packageName} is not installed, and there is no apt-get`;
  try {
    const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
    execFileSync('apt-get', ['update', '-qq'], options);
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', packageName], options);
    return undefined;
  } catch (error) {
    return `apt-get could not install ${packageName}: ${error.message}`;
  }
}

const reason = reasonWithout('haproxy', 'haproxy') ?? reasonWithout('openssl', 'openssl');
if (reason !== undefined) {
  console.log(`skipped: ${reason}`);
  process.exit(skipped);
}
await run(['--runInBand', '--testMatch', '**/test/haproxy/*.haproxy.ts', ...process.argv.slice(2)]);
