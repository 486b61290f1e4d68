import { rm } from 'node:fs/promises';
import path from 'node:path';
import { readIfPresent, replaceFile } from './files';
import { isAlive, isSameProcess, parseIdentity, thisProcess } from './process-identity';

/** The process that is responsible for stopping the server, and how the server was started. */
export interface Owner {
  readonly pid: number;
  readonly isAlive: boolean;
  readonly isThisProcess: boolean;
  /** Servers with the same key are interchangeable. */
  readonly launchKey: string;
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
    launchKey: typeof launch === 'string' ? launch : '',
  };
}

/** Makes this process the owner. */
export async function takeOwnership(home: string, launchKey: string): Promise<void> {
  await replaceFile(ownerFile(home), JSON.stringify({ ...thisProcess(), launch: launchKey }));
}

/** Ends the ownership of this process. Another process's ownership remains. */
export async function dropOwnership(home: string): Promise<void> {
  const owner = await readOwner(home);
  if (owner?.isThisProcess === true) await rm(ownerFile(home), { force: true });
}
