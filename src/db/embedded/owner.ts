import { rm } from 'node:fs/promises';
import path from 'node:path';
import { readIfPresent, replaceFile } from './files';
import { isAlive, isSameProcess, parseIdentity, thisProcess } from './process-identity';

/** Which process is responsible for stopping the server, and how the server was started. */
export interface Owner {
  readonly pid: number;
  readonly isAlive: boolean;
  readonly isThisProcess: boolean;
  /** Two servers with the same text here are interchangeable. */
  readonly launch: string;
}

const ownerFile = (home: string): string => path.join(home, 'postgres.owner');

export async function readOwner(home: string): Promise<Owner | undefined> {
  const text = await readIfPresent(ownerFile(home));
  const identity = text === undefined ? undefined : parseIdentity(text);
  if (text === undefined || identity === undefined) return undefined;
  const { launch } = JSON.parse(text) as { launch?: unknown };
  return {
    pid: identity.pid,
    isAlive: isAlive(identity),
    isThisProcess: isSameProcess(identity, thisProcess()),
    launch: typeof launch === 'string' ? launch : '',
  };
}

/** Makes this process the owner. */
export async function takeOwnership(home: string, launch: string): Promise<void> {
  await replaceFile(ownerFile(home), JSON.stringify({ ...thisProcess(), launch }));
}

/** Ends the ownership of this process; somebody else's stays. */
export async function dropOwnership(home: string): Promise<void> {
  const owner = await readOwner(home);
  if (owner?.isThisProcess === true) await rm(ownerFile(home), { force: true });
}
