import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { readIfPresent } from './files';
import { identifyProcess, type ProcessIdentity } from './process-identity';

/** The content of `postmaster.pid`. */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly status: 'starting' | 'ready' | 'stopping' | 'standby' | 'unknown';
}

const pidFile = (cluster: string): string => path.join(cluster, 'postmaster.pid');

/**
 * In `postmaster.pid`, line 1 is the process id, line 4 the port, line 8 the status (pidfile.h).
 */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const lines = (await readIfPresent(pidFile(cluster)))?.split('\n') ?? [];
  // A single-user backend writes a negative process id.
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isInteger(pid) || pid === 0) return undefined;
  const status = lines[7]?.trim() ?? '';
  const known = (['starting', 'ready', 'stopping', 'standby'] as const).find((name) => name === status);
  return { pid, port: Number(lines[3] ?? 0), status: known ?? 'unknown' };
}

/**
 * The server that runs on this cluster. The pid file alone is not proof, because another process
 * may have the same id now.
 */
export async function findPostmaster(cluster: string): Promise<ProcessIdentity | undefined> {
  const file = await readPostmasterFile(cluster);
  if (file === undefined) return undefined;
  const identity = identifyProcess(file.pid);
  return identity !== undefined && servesCluster(file.pid, cluster) ? identity : undefined;
}

/**
 * The environment variable that lets PostgreSQL start despite a stale pid file. PostgreSQL
 * otherwise refuses to start if any process has the id in that file. Without the file, PostgreSQL
 * would not check that no backend of the dead server still uses the shared memory, so the file is
 * kept. Only for a cluster without a running server.
 */
export async function ignoreStalePidFile(cluster: string): Promise<Record<string, string>> {
  const file = await readPostmasterFile(cluster);
  if (file !== undefined) return { PG_GRANDPARENT_PID: String(file.pid) };
  // PostgreSQL also refuses to start with an empty file, which a power failure can leave.
  await rm(pidFile(cluster), { force: true });
  return {};
}

function servesCluster(pid: number, cluster: string): boolean {
  if (process.platform === 'linux') return linuxServesCluster(pid, cluster);
  if (process.platform === 'win32') return true; // Only a connection with our password can tell.
  try {
    const command = execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes('postgres') && command.includes(cluster);
  } catch {
    return false;
  }
}

function linuxServesCluster(pid: number, cluster: string): boolean {
  try {
    const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (path.basename(program) !== 'postgres') return false;
    const directory = args[args.indexOf('-D') + 1];
    if (args.includes('-D') && directory !== undefined && isSameFolder(directory, cluster)) return true;
    // The folder may have moved while the server was running. Checked last, because containers
    // may deny access.
    return isSameFolder(readlinkSync(`/proc/${pid}/cwd`), cluster);
  } catch {
    return false;
  }
}

function isSameFolder(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    return false;
  }
}
