// Finds Chromium. As root with apt it is installed if it is missing; otherwise callers skip the
// tests that need it. Prints the path and exits with 0, or prints the reason and exits with 1.
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

/** Needs no password and asks no questions. */
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
      : 'Chromium was not found: set CHROMIUM to its path, or run as root with apt to install it',
  );
  process.exit(1);
}
console.log(found);
