import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, rename, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  accountCan,
  changeOwner,
  ownerAccount,
  runsAsRoot,
  unprivilegedAccount,
  type Account,
} from './account';
import { errorCode, exists, readIfPresent, replaceFile, syncDirectory } from './files';
import { findPostmaster } from './postmaster';

export interface ClusterLocation {
  /** The folder around the cluster; also holds the owner file. */
  readonly home: string;
  readonly cluster: string;
  /** The account that the server runs as; undefined for the account of this process. */
  readonly account: Account | undefined;
}

/**
 * Finds or chooses the folder of the cluster. This is normally the data folder. If this process is
 * root and the server's account has no access to the data folder, the cluster is in a folder below
 * `durableDirectory`.
 *
 * The file `postgres.location` in the data folder records that folder. Later starts follow the
 * file, so the folder may move, and deleting it still leads to an empty database.
 */
export async function locateCluster(
  dataDirectory: string,
  durableDirectory: string,
  onProgress: (line: string) => void,
): Promise<ClusterLocation> {
  const pointer = path.join(dataDirectory, 'postgres.location');
  const recorded = (await readIfPresent(pointer))?.trim();
  if (recorded !== undefined && recorded !== '') {
    await checkRecorded(recorded, pointer);
    await moveCluster(dataDirectory, recorded, onProgress);
    return locationAt(recorded);
  }
  const here = await locationAt(dataDirectory);
  if (here.account === undefined || (await findPostmaster(here.cluster)) !== undefined) return here;
  if (await canHoldCluster(here, here.account)) return here;
  const home = await createDurableHome(dataDirectory, durableDirectory);
  onProgress(`keeping the database in ${home}, because ${here.account.name} cannot work in ${dataDirectory}`);
  // Write the pointer before the move. After a crash, the next start repeats the move.
  await replaceFile(pointer, `${home}\n`);
  await syncDirectory(dataDirectory);
  await moveCluster(dataDirectory, home, onProgress);
  return locationAt(home);
}

async function locationAt(home: string): Promise<ClusterLocation> {
  const cluster = path.join(home, 'postgres');
  const isNew = !(await exists(cluster));
  if (!runsAsRoot()) {
    if (!isNew) await checkOwnership(cluster);
    return { home, cluster, account: undefined };
  }
  // An existing cluster keeps its account, because another account could not read it.
  const owner = isNew ? undefined : await ownerAccount(cluster);
  const account = owner ?? (await unprivilegedAccount());
  // If the cluster belongs to root, it was restored from a backup that lost its owner.
  if (!isNew && owner === undefined) await changeOwner(cluster, account);
  return { home, cluster, account };
}

async function checkOwnership(cluster: string): Promise<void> {
  const { uid } = await stat(cluster);
  if (process.getuid === undefined || uid === process.getuid()) return;
  throw new Error(
    `The database in ${cluster} belongs to another account (uid ${uid}). Perhaps root created it. ` +
      'Start the program with that account, or change the owner of the data folder (chown -R).',
  );
}

async function checkRecorded(home: string, pointer: string): Promise<void> {
  if (await exists(home)) return;
  throw new Error(
    `${pointer} says that the database is in ${home}, which does not exist. ` +
      `Restore that folder, or remove ${pointer} to start with an empty database.`,
  );
}

async function canHoldCluster({ home, cluster }: ClusterLocation, account: Account): Promise<boolean> {
  const operators = ['-O', '-w', '-x'];
  if (await exists(cluster)) return accountCan(account, operators, cluster);
  const probe = await mkdtemp(path.join(home, 'postgres.probe-'));
  try {
    await chown(probe, account.uid, account.gid);
    return await accountCan(account, operators, probe);
  } catch (error) {
    // On some network and shared folders, even root cannot change the owner of files.
    if (['EPERM', 'EACCES', 'EINVAL', 'ENOTSUP'].includes(errorCode(error) ?? '')) return false;
    throw error;
  } finally {
    await rmdir(probe);
  }
}

/** Always creates a new folder: an existing one belongs to an earlier data folder of this path. */
async function createDurableHome(dataDirectory: string, durableDirectory: string): Promise<string> {
  const hash = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 12);
  if ((await mkdir(durableDirectory, { recursive: true })) !== undefined)
    await chmod(durableDirectory, 0o755);
  for (let number = 1; ; number += 1) {
    const home = path.join(durableDirectory, number === 1 ? hash : `${hash}-${number}`);
    try {
      await mkdir(home);
      await chmod(home, 0o711);
      return home;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Moves the cluster of a data folder that the server's account can no longer reach. */
async function moveCluster(from: string, to: string, onProgress: (line: string) => void): Promise<void> {
  const [source, target] = [path.join(from, 'postgres'), path.join(to, 'postgres')];
  if (from === to || (await exists(target)) || !(await exists(source))) return;
  const running = await findPostmaster(source);
  if (running !== undefined) {
    throw new Error(
      `The database in ${source} must move to ${to}, but its server (process ${running.pid}) runs. Stop it first.`,
    );
  }
  onProgress(`moving the database to ${to}`);
  try {
    await rename(source, target);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    throw new Error(`Move the database to the other file system: cp -a ${source} ${to}/ && rm -r ${source}`, {
      cause: error,
    });
  }
}
