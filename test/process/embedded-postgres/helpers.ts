import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { identifyProcess } from '../../../src/db/embedded/process-identity';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../../src/db/embedded-database';

const project = path.resolve(__dirname, '../../..');
const cleanups: (() => Promise<unknown>)[] = [];

/** Undoes everything, the latest first. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export function onCleanUp(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup);
}

/**
 * A temporary folder; a server that still runs below it at the end of the test is killed with it.
 */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'embedded-postgres-')));
  // As root the server runs as another account.
  await chmod(folder, 0o755);
  onCleanUp(async () => {
    await killServer(path.join(folder, '.data', 'postgres'));
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return folder;
}

export async function killServer(cluster: string): Promise<void> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  if (text.split('\n')[1] === cluster && pid > 1) await kill(pid);
}

export async function dataFolder(): Promise<string> {
  return path.join(await temporaryFolder(), '.data');
}

let usedFolder: string | undefined;

/**
 * A data folder in which earlier tests have worked, as making a cluster for each takes too long. No
 * server runs on it.
 */
export async function usedDataFolder(): Promise<string> {
  usedFolder ??= await mkdtemp(path.join(os.tmpdir(), 'embedded-postgres-used-'));
  await chmod(usedFolder, 0o711); // mkdtemp makes it private, which would send root's database elsewhere
  const folder = path.join(usedFolder, '.data');
  onCleanUp(() => killServer(path.join(folder, 'postgres')));
  return folder;
}

export async function removeUsedDataFolder(): Promise<void> {
  if (usedFolder !== undefined) await rm(usedFolder, { recursive: true, force: true });
}

/** Starts a server in this process. Without waiting for the disk, as nobody pulls the plug here. */
export async function start(
  dataDirectory: string,
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDirectory, settings: { fsync: 'off', ...settings } });
  onCleanUp(() => server.stop());
  return server;
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url, ssl: false });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

export const writeRow = (url: string): Promise<unknown> =>
  query(url, `DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 'still here' AS text`);
export const readRow = (url: string): Promise<unknown> => query(url, 'SELECT text FROM kept');
export const theRow = [{ text: 'still here' }];

/** A zombie has ended; containers whose first process does not reap keep some. */
export function isRunning(pid: number): boolean {
  return identifyProcess(pid) !== undefined;
}

/** SIGKILL, and waits until the process is gone. */
export async function kill(pid: number): Promise<void> {
  if (!isRunning(pid)) return;
  process.kill(pid, 'SIGKILL');
  while (isRunning(pid)) await sleep(5);
}

export interface OwnerProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** The next line with this property. */
  next(property: string): Promise<Record<string, string>>;
  /** Its server, once it runs. */
  server(): Promise<{ origin: string; processId: number; url: string }>;
  /** Asks for stop() and waits until the process has ended. */
  stop(): Promise<void>;
}

/**
 * Starts another Node process that starts the server (see server-owner.ts), perhaps as another
 * user.
 */
export function ownerProcess(dataDirectory: string, user: { uid?: number; gid?: number } = {}): OwnerProcess {
  const script = path.join(__dirname, 'server-owner.ts');
  const child = spawn(
    process.execPath,
    ['-r', 'ts-node/register/transpile-only', script, dataDirectory],
    // Its own group, so that a test can play Ctrl-C.
    { cwd: project, stdio: ['pipe', 'pipe', 'pipe'], detached: true, ...user },
  );
  const pid = child.pid!;
  const ended = once(child, 'exit');
  onCleanUp(() => kill(pid));
  let errors = '';
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (property: string): Promise<Record<string, string>> => {
    for (;;) {
      const { done, value } = await lines.next();
      if (done === true) throw new Error(`The owner process ended: ${errors}`);
      const line = JSON.parse(value) as Record<string, string>;
      if (property in line) return line;
    }
  };
  return {
    child,
    pid,
    next,
    server: async () => {
      const line = await next('origin');
      return { origin: line.origin!, processId: Number(line.processId), url: line.url! };
    },
    stop: async () => {
      child.stdin.write('stop\n');
      await ended;
    },
  };
}
