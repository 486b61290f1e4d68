import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, rename, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { accountCan, giveAway, ownerAccount, runsAsRoot, unprivilegedAccount, type Account } from './account';
import { errorCode, exists, readIfPresent, replaceFile, syncDirectory } from './files';
import { findPostmaster } from './postmaster';

/**
 * Where root keeps what the server's account cannot reach in a private checkout. Durable, unlike
 * the temp folder.
 */
export const durableRoot = '/var/lib/contribution-service';

export interface Place {
  /** The folder around the cluster; also holds the owner file. */
  readonly home: string;
  readonly cluster: string;
  /** What the server runs as; undefined: as this process. */
  readonly account: Account | undefined;
}

/**
 * Finds or chooses the folder of the cluster: the data folder itself or, when this process is root
 * and the account that the server runs as cannot work there, one below /var/lib.
 * `postgres.location` then says where, and is believed from then on: the checkout may move, and
 * deleting `.data` gives an empty database here as it does everywhere.
 */
export async function locateCluster(
  dataDirectory: string,
  onProgress: (line: string) => void,
): Promise<Place> {
  const pointer = path.join(dataDirectory, 'postgres.location');
  const recorded = (await readIfPresent(pointer))?.trim();
  if (recorded !== undefined && recorded !== '') {
    await checkRecorded(recorded, pointer);
    await moveCluster(dataDirectory, recorded, onProgress);
    return place(recorded);
  }
  const here = await place(dataDirectory);
  if (here.account === undefined || (await findPostmaster(here.cluster)) !== undefined) return here;
  if (await canHoldCluster(here, here.account)) return here;
  const home = await createDurableHome(dataDirectory);
  onProgress(`keeping the database in ${home}, because ${here.account.name} cannot work in ${dataDirectory}`);
  // The pointer comes first: a crash after it repeats the move, a crash before it leaves an empty
  // folder behind.
  await replaceFile(pointer, `${home}\n`);
  await syncDirectory(dataDirectory);
  await moveCluster(dataDirectory, home, onProgress);
  return place(home);
}

async function place(home: string): Promise<Place> {
  const cluster = path.join(home, 'postgres');
  const isNew = !(await exists(cluster));
  if (!runsAsRoot()) {
    if (!isNew) await checkOwnership(cluster);
    return { home, cluster, account: undefined };
  }
  // An existing cluster keeps its account: another one could not read it.
  const owner = isNew ? undefined : await ownerAccount(cluster);
  const account = owner ?? (await unprivilegedAccount());
  // Of root: restored from a backup without its owners.
  if (!isNew && owner === undefined) await giveAway(cluster, account);
  return { home, cluster, account };
}

async function checkOwnership(cluster: string): Promise<void> {
  const { uid } = await stat(cluster);
  if (process.getuid === undefined || uid === process.getuid()) return;
  throw new Error(
    `The database in ${cluster} belongs to another account (uid ${uid}); was it created by root? ` +
      'Start the service as it was started then, or give the data folder to this account (chown -R).',
  );
}

async function checkRecorded(home: string, pointer: string): Promise<void> {
  if (await exists(home)) return;
  throw new Error(
    `${pointer} says that the database is in ${home}, which does not exist. ` +
      `Bring that folder back, or remove ${pointer} to begin with an empty database.`,
  );
}

async function canHoldCluster({ home, cluster }: Place, account: Account): Promise<boolean> {
  const operators = ['-O', '-w', '-x'];
  if (await exists(cluster)) return accountCan(account, operators, cluster);
  const probe = await mkdtemp(path.join(home, 'postgres.probe-'));
  try {
    await chown(probe, account.uid, account.gid);
    return await accountCan(account, operators, probe);
  } catch (error) {
    // Some network and shared folders do not let even root give files away.
    if (['EPERM', 'EACCES', 'EINVAL', 'ENOTSUP'].includes(errorCode(error) ?? '')) return false;
    throw error;
  } finally {
    await rmdir(probe);
  }
}

/**
 * A new folder each time: one that exists belongs to a checkout that was here before and may have
 * moved away.
 */
async function createDurableHome(dataDirectory: string): Promise<string> {
  const hash = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 12);
  if ((await mkdir(durableRoot, { recursive: true })) !== undefined) await chmod(durableRoot, 0o755);
  for (let number = 1; ; number += 1) {
    const home = path.join(durableRoot, number === 1 ? hash : `${hash}-${number}`);
    try {
      await mkdir(home);
      await chmod(home, 0o711);
      return home;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** A checkout that was reachable once and is private now takes its cluster along. */
async function moveCluster(from: string, to: string, onProgress: (line: string) => void): Promise<void> {
  const [source, target] = [path.join(from, 'postgres'), path.join(to, 'postgres')];
  if (from === to || (await exists(target)) || !(await exists(source))) return;
  const running = await findPostmaster(source);
  if (running !== undefined) {
    throw new Error(
      `The database in ${source} must move to ${to}, but its server (process ${running.process.pid}) runs. Stop it first.`,
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
