import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode, exists } from './files';
import { identifyProcess } from './process-identity';

/**
 * Copies the package unless the copy exists. The copy gets its final name when it is complete, so
 * an incomplete copy is never used.
 */
export async function copyPackage(
  source: string,
  copy: string,
  onProgress: (line: string) => void,
): Promise<void> {
  if (await exists(copy)) return;
  onProgress(`copying PostgreSQL's programs to ${copy}`);
  await removeAbandonedCopies(copy);
  const temporary = `${copy}.copying-${process.pid}-${randomBytes(4).toString('hex')}`;
  const parent = path.dirname(copy);
  if ((await mkdir(parent, { recursive: true })) !== undefined) await chmod(parent, 0o755);
  try {
    await cp(path.join(source, 'native'), path.join(temporary, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    });
    // The server's account must have access, and the original may be readable only by its owner.
    if (process.platform !== 'win32') await promisify(execFile)('chmod', ['-R', 'a+rX', temporary]);
    await rename(temporary, copy);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Another process, perhaps with another data folder, created the same copy meanwhile.
    if (!['EEXIST', 'ENOTEMPTY'].includes(errorCode(error) ?? '')) throw error;
  }
}

async function removeAbandonedCopies(copy: string): Promise<void> {
  const prefix = `${path.basename(copy)}.copying-`;
  for (const name of await readdir(path.dirname(copy)).catch(() => [])) {
    if (
      !name.startsWith(prefix) ||
      identifyProcess(Number.parseInt(name.slice(prefix.length), 10)) !== undefined
    )
      continue;
    await rm(path.join(path.dirname(copy), name), { recursive: true, force: true });
  }
}
