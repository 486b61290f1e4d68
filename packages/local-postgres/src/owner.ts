import { rm } from 'node:fs/promises';
import path from 'node:path';
import { readIfPresent, replaceFile } from './files';
import { isSameProcess, parseIdentity, type ProcessIdentity, thisProcess } from './process-identity';

const ownerFile = (home: string): string => path.join(home, 'postgres.owner');

/** The process that is responsible for stopping the server. It may have ended. */
export async function readOwner(home: string): Promise<ProcessIdentity | undefined> {
  return parseIdentity((await readIfPresent(ownerFile(home))) ?? '');
}

/** Makes this process the owner. */
export async function takeOwnership(home: string): Promise<void> {
  await replaceFile(ownerFile(home), JSON.stringify(thisProcess()));
}

/** Ends the ownership of this process. Another process's ownership remains. */
export async function dropOwnership(home: string): Promise<void> {
  const owner = await readOwner(home);
  if (owner && isSameProcess(owner, thisProcess())) await rm(ownerFile(home), { force: true });
}
