import { randomBytes } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
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
    await copyTree(path.join(source, 'native'), path.join(temporary, 'native'));
    await chmod(temporary, 0o755);
    await rename(temporary, copy);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Another process, perhaps of another checkout, created the same copy meanwhile.
    if (!['EEXIST', 'ENOTEMPTY'].includes(errorCode(error) ?? '')) throw error;
  }
}

/**
 * Copies without the original modes: the server's account must have access, and the original may be
 * readable only by its owner.
 */
async function copyTree(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  await chmod(target, 0o755);
  const isPrograms = path.basename(source) === 'bin';
  const copyEntry = async (entry: Dirent): Promise<void> => {
    const [from, to] = [path.join(source, entry.name), path.join(target, entry.name)];
    if (entry.isDirectory()) return copyTree(from, to);
    if (entry.isSymbolicLink()) return symlink(await readlink(from), to);
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    await chmod(to, isPrograms ? 0o755 : 0o644);
  };
  await Promise.all((await readdir(source, { withFileTypes: true })).map(copyEntry));
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
