import { execFile } from 'node:child_process';
import { chown, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { credentials } from './account';
import type { Binaries } from './binaries';
import { CannotRun } from './cannot-run';
import { serverEnvironment } from './environment';
import { exists, readIfPresent, syncDirectory } from './files';
import type { ClusterLocation } from './location';

const stagingPrefix = 'postgres.initializing-';

/**
 * Creates the cluster unless it exists. A new cluster has a temporary name until it is complete, so
 * a killed process never leaves an incomplete cluster under the final name. The caller holds the
 * start lock.
 *
 * @param options `durable: false` lets initdb skip waiting for the disk
 */
export async function ensureCluster(
  { home, cluster, account }: ClusterLocation,
  binaries: Binaries,
  options: { password: string; durable: boolean; onProgress: (line: string) => void },
): Promise<void> {
  await removeInterrupted(home);
  if (await exists(cluster)) {
    await checkCluster(cluster, binaries.majorVersion);
    return;
  }
  options.onProgress(`creating the database cluster in ${cluster}`);
  const staging = await mkdtemp(path.join(home, stagingPrefix));
  try {
    const passwordFile = path.join(staging, 'password');
    await writeFile(passwordFile, `${options.password}\n`, { mode: 0o600 });
    if (account !== undefined) {
      await chown(passwordFile, account.uid, account.gid);
      await chown(staging, account.uid, account.gid);
    }
    const created = path.join(staging, 'cluster');
    const args = initdbArguments(created, passwordFile, options.durable);
    await promisify(execFile)(binaries.initdb, args, {
      ...credentials(account),
      cwd: '/',
      env: serverEnvironment(),
      windowsHide: true,
    }).catch((error: unknown) => {
      throw initdbError(error);
    });
    await rename(created, cluster);
    if (options.durable) await syncDirectory(home);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function initdbArguments(cluster: string, passwordFile: string, durable: boolean): string[] {
  return [
    `--pgdata=${cluster}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // PostgreSQL's own C.UTF-8 sorts the same on every machine, regardless of the installed
    // locales, and it converts the case of all letters.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    // Syncing the files to disk costs 0.2 s once. Otherwise a power failure soon after the first
    // start could destroy the cluster and everything committed in it.
    ...(durable ? [] : ['--no-sync']),
  ];
}

/**
 * Removes what killed starts left behind. An initdb that still runs fails when its folder
 * disappears.
 */
async function removeInterrupted(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(stagingPrefix)) continue;
    // A failure is harmless: the next start tries again.
    await rm(path.join(home, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

async function checkCluster(cluster: string, majorVersion: string): Promise<void> {
  const found = await readIfPresent(path.join(cluster, 'PG_VERSION'));
  if (found === undefined) {
    throw new Error(
      `${cluster} is not a database cluster. Restore it from a backup, or remove it to start with an empty database.`,
    );
  }
  if (found.trim() !== majorVersion) {
    throw new CannotRun(
      `The database in ${cluster} belongs to PostgreSQL ${found.trim()}, but this is PostgreSQL ${majorVersion}. ` +
        'Dump it with the old version and restore it into the new one.',
    );
  }
}

function initdbError(error: unknown): Error {
  const { stderr = '' } = error as { stderr?: string };
  const why = stderr.trim() || String(error);
  const hint = why.includes('user does not exist')
    ? ' PostgreSQL needs the account to be listed in /etc/passwd.'
    : ' Is the disk full, or the folder not writable?';
  return new Error(`PostgreSQL could not create its database cluster (initdb).${hint}\n${why}`, {
    cause: error,
  });
}
