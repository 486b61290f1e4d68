import { rmSync, writeFileSync } from 'node:fs';
import { mkdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, readIfPresent } from './files';
import { isAlive, parseIdentity, thisProcess } from './process-identity';

const retryAfterMs = 20;
/** The time to wait for the lock. It exceeds a crash recovery or a slow shutdown of the holder. */
const timeoutMs = 120_000;
/** A process needs microseconds to write or remove a lock. If it takes longer, it was killed. */
const abandonedAfterMs = 5_000;

/**
 * Runs `work` while no other process starts or stops the server of this folder. The lock is a file
 * that names the process that holds it. If that process has ended, the lock is removed.
 */
export async function withStartLock<T>(
  dataDirectory: string,
  onWait: (holderPid: number | undefined) => void,
  work: () => Promise<T>,
): Promise<T> {
  const lock = path.join(dataDirectory, 'postgres.lock');
  await acquire(lock, onWait);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function acquire(lock: string, onWait: (holderPid: number | undefined) => void): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let isWaiting = false;
  while (!tryCreate(lock)) {
    const text = await readIfPresent(lock);
    if (text !== undefined && (await isStale(lock, text))) {
      await breakStaleLock(lock);
      continue;
    }
    const holderPid = parseIdentity(text ?? '')?.pid;
    if (Date.now() > deadline) {
      throw new Error(
        `Process ${holderPid ?? '(unknown)'} has been starting or stopping the local PostgreSQL for too long. ` +
          `End that process, or remove ${lock} if it does not belong to this program.`,
      );
    }
    if (!isWaiting) onWait(holderPid);
    isWaiting = true;
    await sleep(retryAfterMs);
  }
}

function tryCreate(lock: string): boolean {
  try {
    // Write synchronously, so that other processes rarely see the file before its text.
    writeFileSync(lock, JSON.stringify(thisProcess()), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    // On a full disk, the file was created, but not its text.
    rmSync(lock, { force: true });
    throw error;
  }
}

async function isStale(lock: string, text: string): Promise<boolean> {
  const holder = parseIdentity(text);
  return holder === undefined ? isAbandoned(lock) : !isAlive(holder);
}

async function isAbandoned(file: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(file)).mtimeMs > abandonedAfterMs;
  } catch {
    return false;
  }
}

/**
 * Removes a stale lock. Only one process does so at a time, and it checks the lock again first.
 * Otherwise a slow process could remove the new lock of a fast one.
 */
async function breakStaleLock(lock: string): Promise<void> {
  const breaking = `${lock}.breaking`;
  try {
    await mkdir(breaking);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    if (await isAbandoned(breaking)) await rmdir(breaking).catch(() => undefined);
    await sleep(retryAfterMs);
    return;
  }
  try {
    const text = await readIfPresent(lock);
    if (text !== undefined && (await isStale(lock, text))) await rm(lock, { force: true });
  } finally {
    await rmdir(breaking);
  }
}
