import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { CannotRun } from './cannot-run';

/** The `code` of a system error (`ENOENT`) or a PostgreSQL error (`3D000`); otherwise undefined. */
export function errorCode(error: unknown): string | undefined {
  // `instanceof Error` fails for system errors when a test runner gives each file its own globals.
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether there was no space on the disk, according to the system or PostgreSQL. */
export const isFullDisk = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', '53100'].includes(errorCode(error) ?? '') ||
  (error instanceof Error && error.message.includes('No space left on device'));

/** PostgreSQL cannot work with less. */
const leastBytes = 2 ** 20;

export class FullDisk extends CannotRun {}

/**
 * Names the folder if its disk is full. PostgreSQL's own log may lack the reason then, because the
 * log is on that disk. Returns another error as it is.
 */
export async function explainFullDisk(error: unknown, folder: string): Promise<unknown> {
  const isFull = await statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize < leastBytes,
    () => false,
  );
  if (!isFull && !isFullDisk(error)) return error;
  return new FullDisk(`The disk of ${folder} is full. Free some of its space, and try again.`, {
    cause: error,
  });
}

/**
 * Whether the path exists.
 *
 * @throws when access is denied. The result is not false then, because callers create what does
 * not exist
 */
export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** The text of a file; undefined when it does not exist. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes a file (mode 0600) atomically: readers see the old text or the new one, also after a power
 * failure.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Makes renames inside this folder survive a power failure. Windows cannot open folders and does
 * not need this.
 */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The last lines of a log, for error messages. Empty when there is no log. */
export async function lastLines(path: string, count = 20): Promise<string> {
  const text = (await readIfPresent(path)) ?? '';
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
