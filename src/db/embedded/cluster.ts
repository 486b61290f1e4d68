import { execFile } from 'node:child_process';
import { chown, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { credentials } from './account';
import type { Binaries } from './binaries';
import { serverEnvironment } from './environment';
import { exists, readIfPresent, syncDirectory } from './files';
import type { Place } from './location';

const stagingPrefix = 'postgres.initializing-';

/**
 * Makes the cluster unless it is there. It is made under another name and renamed when complete, so
 * a cluster under its own name is never half of one, whenever this process is killed. The caller
 * holds the start lock.
 * @param durable false lets initdb skip waiting for the disk.
 */
export async function ensureCluster(
  { home, cluster, account }: Place,
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
    const made = path.join(staging, 'cluster');
    const args = initdbArguments(made, passwordFile, options.durable);
    await promisify(execFile)(binaries.initdb, args, {
      ...credentials(account),
      cwd: '/',
      env: serverEnvironment(),
      windowsHide: true,
    }).catch((error: unknown) => {
      throw initdbError(error);
    });
    await rename(made, cluster);
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
    // PostgreSQL's own C.UTF-8: the same order on every machine, whatever locales it has; knows the
    // case of all letters.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    // Waiting for the disk costs 0.2 s once. Without it a power failure soon after the first start
    // could damage the cluster together with everything that was committed by then.
    ...(durable ? [] : ['--no-sync']),
  ];
}

/**
 * What a killed start left behind. An initdb that outlived its parent fails when its folder goes.
 */
async function removeInterrupted(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(stagingPrefix)) continue;
    // Not worth failing for: the next start tries again.
    await rm(path.join(home, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

async function checkCluster(cluster: string, majorVersion: string): Promise<void> {
  const found = await readIfPresent(path.join(cluster, 'PG_VERSION'));
  if (found === undefined) {
    throw new Error(
      `${cluster} is not a database cluster. Restore it from a backup, or remove it to begin with an empty database.`,
    );
  }
  if (found.trim() !== majorVersion) {
    throw new Error(
      `The database in ${cluster} is of PostgreSQL ${found.trim()}, and this is PostgreSQL ${majorVersion}. ` +
        'Dump it with the old version and restore it into the new one, or set DATABASE_URL.',
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
