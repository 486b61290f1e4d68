import { execFile } from 'node:child_process';
import { chmod, mkdir, rm, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const wholeSizeBytes = 4 * 2 ** 30;

/** A file system that can be filled. */
export interface Disk {
  readonly directory: string;
  /** Why it cannot be filled here; undefined if it can. */
  readonly whyNotFillable: string | undefined;
  /** Leaves this many bytes free. */
  fill(leavingBytes: number): Promise<void>;
  /** Frees the space again. */
  free(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Mounts a separate file system on the folder if this process may do so; otherwise the folder is a
 * plain one.
 */
export async function createDisk(directory: string): Promise<Disk> {
  await mkdir(directory, { recursive: true });
  const whyNotFillable = await mount(directory);
  // If this process is root, PostgreSQL runs under another account, which must reach the folder.
  await chmod(directory, 0o711);
  const resize = (bytes: number) => run('mount', ['-o', `remount,size=${bytes}`, directory]);
  return {
    directory,
    whyNotFillable,
    async fill(leavingBytes) {
      // PostgreSQL may write more than that before the new size holds, which the system rejects.
      for (let attempts = 1; ; attempts += 1) {
        const { blocks, bfree, bsize } = await statfs(directory);
        const resized = resize((blocks - bfree) * bsize + leavingBytes);
        if (await resized.then(() => true, rethrowAfter(attempts))) return;
      }
    },
    async free() {
      await resize(wholeSizeBytes);
    },
    async remove() {
      if (whyNotFillable === undefined) await run('umount', ['-l', directory]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const mostAttempts = 10;

const rethrowAfter =
  (attempts: number) =>
  (error: unknown): false => {
    if (attempts >= mostAttempts) throw error;
    return false;
  };

async function mount(directory: string): Promise<string | undefined> {
  if (process.platform !== 'linux')
    return 'needs Linux, where a file system of any size can be mounted in memory';
  if (process.getuid?.() !== 0) return 'needs root, to mount a file system of a fixed size';
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${wholeSizeBytes}`, 'faults', directory]);
    return undefined;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    return `a file system of a fixed size cannot be mounted here: ${stderr?.trim() ?? String(error)}`;
  }
}
