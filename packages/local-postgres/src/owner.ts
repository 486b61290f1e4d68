import { rm } from 'node:fs/promises';
import path from 'node:path';
import { readIfPresent, replaceFile } from './files';
import { isAlive, isSameProcess, parseIdentity, thisProcess } from './process-identity';

/** The process that is responsible for stopping the server. */
export interface Owner {
  readonly pid: number;
  readonly isAlive: boolean;
  readonly isThisProcess: boolean;
}

const ownerFile = (home: string): string => path.join(home, 'postgres.owner');

export async function readOwner(home: string): Promise<Owner | undefined> {
  const text = await readIfPresent(ownerFile(home));
  const identity = text === undefined ? undefined : parseIdentity(text);
  if (identity === undefined) return undefined;
  return {
    pid: identity.pid,
    isAlive: isAlive(identity),
    isThisProcess: isSameProcess(identity, thisProcess()),
  };
}

/** Makes this process the owner. */
export async function takeOwnership(home: string): Promise<void> {
  await replaceFile(ownerFile(home), JSON.stringify(thisProcess()));
}

/** Ends the ownership of this process. Another process's ownership remains. */
export async function dropOwnership(home: string): Promise<void> {
  const owner = await readOwner(home);
  if (owner?.isThisProcess === true) await rm(ownerFile(home), { force: true });
}
