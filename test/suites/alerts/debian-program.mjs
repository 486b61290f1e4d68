// node debian-program.mjs PROGRAM PACKAGE: finds a program in the PATH, or extracts it from its
// Debian package without installing that, because an installed one starts a server. Prints the path
// and exits with 0, or prints the reason and exits with 1.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [program, debianPackage] = process.argv.slice(2);
const folder = path.join(
  path.dirname(fileURLToPath(import.meta.url)),
  ...['..', '..', '..', 'node_modules', '.cache', debianPackage],
);
const unpacked = path.join(folder, 'usr', 'bin', program);

const works = (command, ...programArguments) =>
  spawnSync(command, programArguments, { cwd: folder, stdio: 'ignore', timeout: 300_000 }).status === 0;

/** @returns the reason for the failure */
function unpack() {
  if (!works('apt-get', '--version')) return `${program} is not installed, and there is no apt-get`;
  // Without package lists nothing can be downloaded by name, and only root may update them.
  if (!works('apt-get', 'download', debianPackage)) {
    works('apt-get', 'update', '-qq');
    if (!works('apt-get', 'download', debianPackage))
      return `apt-get could not download the package ${debianPackage}`;
  }
  const archive = readdirSync(folder).find((name) => name.endsWith('.deb')) ?? '';
  return works('dpkg', '-x', archive, '.') ? undefined : `dpkg could not unpack ${archive}`;
}

mkdirSync(folder, { recursive: true });
if (works(program, '--version')) {
  console.log(program);
} else {
  const reason = existsSync(unpacked) ? undefined : unpack();
  const found = reason === undefined && works(unpacked, '--version');
  console.log(found ? unpacked : (reason ?? `${program} of the package ${debianPackage} does not run here`));
  process.exitCode = found ? 0 : 1;
}
