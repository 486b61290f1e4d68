import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { readIfPresent } from './files';
import { identifyProcess, type ProcessIdentity } from './process-identity';

/** What a server tells about itself in `postmaster.pid`. */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly status: 'starting' | 'ready' | 'stopping' | 'standby' | 'unknown';
}

export interface RunningPostmaster {
  readonly process: ProcessIdentity;
}

const pidFile = (cluster: string): string => path.join(cluster, 'postmaster.pid');

/**
 * Reads `postmaster.pid`: line 1 is the process, line 4 the port, line 8 the status (PostgreSQL's
 * pidfile.h).
 */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const lines = (await readIfPresent(pidFile(cluster)))?.split('\n') ?? [];
  // A single-user backend writes its number with a minus sign.
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isInteger(pid) || pid === 0) return undefined;
  const status = lines[7]?.trim() ?? '';
  const known = (['starting', 'ready', 'stopping', 'standby'] as const).find((name) => name === status);
  return { pid, port: Number(lines[3] ?? 0), status: known ?? 'unknown' };
}

/**
 * The server that runs on this cluster. The pid file alone proves nothing: its number may be
 * another process's by now.
 */
export async function findPostmaster(cluster: string): Promise<RunningPostmaster | undefined> {
  const file = await readPostmasterFile(cluster);
  if (file === undefined) return undefined;
  const identity = identifyProcess(file.pid);
  return identity !== undefined && servesCluster(file.pid, cluster) ? { process: identity } : undefined;
}

/**
 * PostgreSQL refuses to start when the number in a left-over pid file is alive, whatever that
 * process is. It makes an exception for the number in this variable. Removing the file would do
 * too, but would also lose PostgreSQL's check that no backend of the dead server still uses the
 * shared memory. Only for a cluster on which no server runs.
 */
export async function excuseStalePidFile(cluster: string): Promise<Record<string, string>> {
  const file = await readPostmasterFile(cluster);
  if (file !== undefined) return { PG_GRANDPARENT_PID: String(file.pid) };
  // Left empty by a power failure: PostgreSQL refuses that as well.
  await rm(pidFile(cluster), { force: true });
  return {};
}

function servesCluster(pid: number, cluster: string): boolean {
  if (process.platform === 'linux') return linuxServesCluster(pid, cluster);
  if (process.platform === 'win32') return true; // cannot tell; the connection with our password will
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
    // A server that moved with its checkout. Containers may forbid this look, which is why it comes
    // second.
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
