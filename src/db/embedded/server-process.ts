import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentials } from './account';
import type { Binaries } from './binaries';
import { serverEnvironment } from './environment';
import { lastLines } from './files';
import type { Place } from './location';
import { excuseStalePidFile, readPostmasterFile } from './postmaster';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity';

const pollEveryMs = 10;
/**
 * Recovery after a crash reads at most one checkpoint distance of log (1 GB): slow disks need a
 * while.
 */
const readyWithinMs = 60_000;
const portAttempts = 5;
const memoryFreeWithinMs = 10_000;
const fastStopWithinMs = 10_000;
const immediateStopWithinMs = 10_000;

export interface RunningServer {
  readonly process: ProcessIdentity;
  readonly port: number;
}

/**
 * Overridable settings. PostgreSQL's own durable defaults (fsync, synchronous_commit) are left
 * alone.
 */
const defaultSettings: Readonly<Record<string, string>> = {
  // Higher than it sounds: this order is warning < error < log < fatal. A failed statement is
  // reported to its caller; here it would only make the log grow, and its detail shows the row,
  // personal data included.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

/** Starts a server on the cluster, on which none runs, and waits until it takes connections. */
export async function launchServer(
  place: Place,
  binaries: Binaries,
  options: {
    logFile: string;
    settings: Readonly<Record<string, string>>;
    onProgress: (line: string) => void;
  },
): Promise<RunningServer> {
  const memoryDeadline = Date.now() + memoryFreeWithinMs;
  let isWaiting = false;
  for (let portsTried = 1; ;) {
    // Each start has the log to itself, so it cannot grow for ever.
    await rm(options.logFile, { force: true });
    const port = await findFreePort();
    if (!isWaiting) options.onProgress(`starting PostgreSQL on port ${port}`);
    const server = await spawnServer(place, binaries, port, options);
    if (await becameReady(place.cluster, server)) return { process: server, port };
    const log = await lastLines(options.logFile);
    const isPortTaken = /could not bind|could not create any TCP\/IP sockets/.test(log);
    if (isPortTaken && portsTried < portAttempts) {
      portsTried += 1;
    } else if (/shared memory block .* still in use/.test(log) && Date.now() < memoryDeadline) {
      // The last backends of a killed server need a moment to notice; one that computes, until its
      // statement ends.
      if (!isWaiting) options.onProgress('waiting for the last connections of a killed PostgreSQL to end');
      isWaiting = true;
      await sleep(100);
    } else {
      await stopServer(place.cluster, server, binaries);
      throw new Error(`PostgreSQL did not start. Its last words, in ${options.logFile}:\n${log || '(none)'}`);
    }
  }
}

/**
 * Waits until the server takes connections; false when it ends instead, or takes longer than it
 * may.
 */
export async function becameReady(cluster: string, server: ProcessIdentity): Promise<boolean> {
  const deadline = Date.now() + readyWithinMs;
  while (Date.now() < deadline) {
    const file = await readPostmasterFile(cluster);
    if (file?.pid === server.pid && file.status === 'ready') return true;
    if (!isAlive(server)) return false;
    await sleep(pollEveryMs);
  }
  return false;
}

/**
 * Ends the server and waits until it is gone: fast (clients are cut off, everything is written),
 * and when that hangs immediate (the next start recovers from the write-ahead log; nothing
 * committed is lost).
 */
export async function stopServer(
  cluster: string,
  server: ProcessIdentity,
  binaries: Binaries,
): Promise<void> {
  requestStop(cluster, server, binaries, 'fast');
  if (await hasEnded(server, fastStopWithinMs)) return;
  requestStop(cluster, server, binaries, 'immediate');
  if (await hasEnded(server, immediateStopWithinMs)) return;
  throw new Error(`PostgreSQL (process ${server.pid}) does not stop. End it with: kill -9 ${server.pid}`);
}

/** Whether the process ends in time. */
export async function hasEnded(server: ProcessIdentity, withinMs = fastStopWithinMs): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (isAlive(server)) {
    if (Date.now() > deadline) return false;
    await sleep(pollEveryMs);
  }
  return true;
}

function requestStop(
  cluster: string,
  server: ProcessIdentity,
  binaries: Binaries,
  mode: 'fast' | 'immediate',
): void {
  if (!isAlive(server)) return;
  if (process.platform === 'win32') {
    // Windows has no signals: process.kill would end it on the spot.
    spawn(binaries.pgCtl, ['stop', '-W', '-D', cluster, '-m', mode], { stdio: 'ignore', windowsHide: true });
  } else {
    process.kill(server.pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  }
}

async function spawnServer(
  { cluster, account }: Place,
  binaries: Binaries,
  port: number,
  { logFile, settings }: { logFile: string; settings: Readonly<Record<string, string>> },
): Promise<ProcessIdentity> {
  const args = Object.entries({
    ...defaultSettings,
    ...settings,
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '', // a socket's path may not be longer than 107 bytes
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const env = serverEnvironment(await excuseStalePidFile(cluster));
  if (process.platform === 'win32') return spawnOnWindows(cluster, binaries, args, logFile, env);
  // The log is opened here, so the server's account need not reach it.
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(binaries.postgres, ['-D', cluster, ...args], {
      ...credentials(account),
      cwd: '/',
      env,
      // Its own process group: Ctrl-C in the terminal must reach us only, or the server would go
      // before its clients.
      detached: true,
      stdio: ['ignore', log, log],
    });
    await once(child, 'spawn');
    // Whoever forgets stop() is not kept alive by the server; the next start adopts it.
    child.unref();
    const pid = child.pid ?? 0;
    return identifyProcess(pid) ?? { pid, startTime: null };
  } finally {
    closeSync(log);
  }
}

/**
 * pg_ctl gives up administrator rights before it starts the server, which postgres.exe insists on.
 */
async function spawnOnWindows(
  cluster: string,
  binaries: Binaries,
  args: string[],
  logFile: string,
  env: NodeJS.ProcessEnv,
): Promise<ProcessIdentity> {
  const options = args.map((arg) => `"${arg}"`).join(' ');
  const pgCtl = ['start', '-w', '-D', cluster, '-l', logFile, '-o', options];
  await once(spawn(binaries.pgCtl, pgCtl, { stdio: 'ignore', windowsHide: true, env }), 'exit');
  return { pid: (await readPostmasterFile(cluster))?.pid ?? 0, startTime: null };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
