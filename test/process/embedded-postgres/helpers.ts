import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { sessionConfig } from '../../../src/db/session-settings';
import { identifyProcess } from '../../../packages/local-postgres/src/process-identity';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../src/db/embedded-database';

const project = path.resolve(__dirname, '../../..');
const cleanups: (() => Promise<unknown>)[] = [];

/** Runs all cleanups, latest first. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export function onCleanUp(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup);
}

/** A temporary folder. A server that still runs in it at the end of the test is killed. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'embedded-postgres-')));
  // If this process is root, the server runs under another account.
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
 * A data folder that tests share, because creating a cluster for each takes too long. No server
 * runs on it.
 */
export async function usedDataFolder(): Promise<string> {
  usedFolder ??= await mkdtemp(path.join(os.tmpdir(), 'embedded-postgres-used-'));
  await chmod(usedFolder, 0o711); // A private folder would move root's database elsewhere.
  const folder = path.join(usedFolder, '.data');
  onCleanUp(() => killServer(path.join(folder, 'postgres')));
  return folder;
}

export async function removeUsedDataFolder(): Promise<void> {
  if (usedFolder !== undefined) await rm(usedFolder, { recursive: true, force: true });
}

/** Starts a server in this process without fsync, because no test cuts the power. */
export async function start(
  dataDirectory: string,
  settings: Record<string, string> = {},
): Promise<EmbeddedDatabase> {
  const server = await startEmbeddedDatabase({ dataDirectory, settings: { fsync: 'off', ...settings } });
  onCleanUp(() => server.stop());
  return server;
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(sessionConfig({ connectionString: url, ssl: false }));
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

/** Treats zombies as ended, because the first process of some containers does not reap them. */
export function isRunning(pid: number): boolean {
  return identifyProcess(pid) !== undefined;
}

/** Sends SIGKILL and waits until the process has ended. */
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
  /** The server's process id, once it runs. */
  server(): Promise<{ origin: string; processId: number; url: string }>;
  /** Requests stop() and waits until the process has ended. */
  stop(): Promise<void>;
}

/**
 * Starts another Node process that starts the server (see server-owner.ts), optionally as another
 * user.
 */
export function ownerProcess(dataDirectory: string, user: { uid?: number; gid?: number } = {}): OwnerProcess {
  const script = path.join(__dirname, 'server-owner.ts');
  const child = spawn(
    process.execPath,
    ['-r', 'ts-node/register/transpile-only', script, dataDirectory],
    // In a separate process group, so that a test can simulate Ctrl-C.
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
