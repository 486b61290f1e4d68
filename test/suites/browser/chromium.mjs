// Where Chromium is. As root with apt (a gate's machine) it is installed when it is missing;
// elsewhere that is said, and whoever asks skips the tests that need it. Prints the path and ends
// with 0, or the reason and ends with 1.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

const places = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

function find() {
  return places.find((place) => {
    try {
      accessSync(place ?? '', constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Needs nobody's password and asks nothing. */
function install() {
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', 'chromium']]) {
    spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: 300_000,
    });
  }
}

const hasApt = spawnSync('apt-get', ['--version']).status === 0;
if (find() === undefined && hasApt && process.getuid?.() === 0) install();
const found = find();
if (found === undefined) {
  console.log(
    hasApt && process.getuid?.() === 0
      ? 'apt could not install Chromium'
      : 'there is no Chromium (set CHROMIUM to its path), and it can only be installed by root with apt',
  );
  process.exit(1);
}
console.log(found);
