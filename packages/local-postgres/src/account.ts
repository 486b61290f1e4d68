import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { CannotRun } from './cannot-run';

/** The operating system account that the server runs as. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root, so root starts it as one of these. macOS has `_postgres`. */
const candidates = ['postgres', '_postgres', 'nobody'];

export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The account that owns a new cluster when this process is root. */
export async function unprivilegedAccount(): Promise<Account> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of candidates) {
    const entry = lines.find((fields) => fields[0] === name);
    const [uid, gid] = [Number(entry?.[2]), Number(entry?.[3])];
    if (uid > 0 && gid >= 0) return { name, uid, gid };
  }
  throw new CannotRun(
    `PostgreSQL does not run as root, and none of the accounts ${candidates.join(', ')} exists. ` +
      'Add one (useradd --system postgres), or start the program as an ordinary user.',
  );
}

/** The account that owns this path, or undefined when that is root. */
export async function ownerAccount(path: string): Promise<Account | undefined> {
  const { uid, gid } = await stat(path);
  return uid === 0 ? undefined : { name: `uid ${uid}`, uid, gid };
}

/** Makes the account own the folder and everything in it. */
export async function changeOwner(folder: string, account: Account): Promise<void> {
  await promisify(execFile)('chown', ['-R', '-h', `${account.uid}:${account.gid}`, folder]);
}

/** The spawn options that run a child as the account. Node drops supplementary groups itself. */
export function credentials(account: Account | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid };
}

/**
 * Whether all of these test(1) operators, for example `-x`, succeed for the account and path. It
 * runs test(1) as that account, because mode bits do not show access lists, mount options and
 * network shares.
 */
export async function accountCan(account: Account, operators: string[], path: string): Promise<boolean> {
  const condition = operators.map((operator) => `test ${operator} "$1"`).join(' && ');
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', condition, 'sh', path], { ...credentials(account), cwd: '/' }, (error) => {
      resolve(error === null);
    });
  });
}
