import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentials } from './account';
import type { Binaries } from './binaries';
import { serverEnvironment } from './environment';
import { lastLines } from './files';
import type { ClusterLocation } from './location';
import { ignoreStalePidFile, readPostmasterFile } from './postmaster';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity';

const pollIntervalMs = 10;
/** Crash recovery reads up to 1 GB of write-ahead log, which takes a while on slow disks. */
const readyTimeoutMs = 60_000;
const portAttempts = 5;
const sharedMemoryTimeoutMs = 10_000;
const fastStopTimeoutMs = 10_000;
const immediateStopTimeoutMs = 10_000;

export interface RunningServer {
  readonly process: ProcessIdentity;
  readonly port: number;
}

/**
 * The settings of the server, which callers can override. PostgreSQL's defaults for durability
 * remain.
 */
const defaultSettings: Readonly<Record<string, string>> = {
  // In this setting the order is warning < error < log < fatal, so errors of queries are not
  // logged. Their details contain rows with personal data, and the client gets them anyway.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

interface ServerOptions {
  logFile: string;
  settings: Readonly<Record<string, string>>;
}

/** Starts a server on a cluster without one, and waits until it accepts connections. */
export async function launchServer(
  location: ClusterLocation,
  binaries: Binaries,
  options: ServerOptions & { onProgress: (line: string) => void },
): Promise<RunningServer> {
  const memoryDeadline = Date.now() + sharedMemoryTimeoutMs;
  let isWaiting = false;
  for (let portsTried = 1; ;) {
    // Each start begins a new log, so that the log does not grow forever.
    await rm(options.logFile, { force: true });
    const port = await findFreePort();
    if (!isWaiting) options.onProgress(`starting PostgreSQL on port ${port}`);
    const server = await spawnServer(location, binaries, port, options);
    if (await waitUntilReady(location.cluster, server)) return { process: server, port };
    const log = await lastLines(options.logFile);
    const isPortTaken = /could not bind|could not create any TCP\/IP sockets/.test(log);
    if (isPortTaken && portsTried < portAttempts) {
      portsTried += 1;
    } else if (/shared memory block .* still in use/.test(log) && Date.now() < memoryDeadline) {
      // The backends of a killed server need a moment to end; a busy one ends after its query.
      if (!isWaiting) options.onProgress('waiting for the last connections of a killed PostgreSQL to end');
      isWaiting = true;
      await sleep(100);
    } else {
      await stopServer(location.cluster, server, binaries);
      throw new Error(`PostgreSQL did not start. The last lines of ${options.logFile}:\n${log || '(none)'}`);
    }
  }
}

/** Waits until the server accepts connections. False if it ends first or exceeds the timeout. */
export async function waitUntilReady(cluster: string, server: ProcessIdentity): Promise<boolean> {
  const deadline = Date.now() + readyTimeoutMs;
  while (Date.now() < deadline) {
    const file = await readPostmasterFile(cluster);
    if (file?.pid === server.pid && file.status === 'ready') return true;
    if (!isAlive(server)) return false;
    await sleep(pollIntervalMs);
  }
  return false;
}

/**
 * Stops the server and waits until it has ended. The first attempt is a fast shutdown, which
 * disconnects clients and writes a checkpoint. If it hangs, an immediate shutdown follows; the next
 * start then recovers every commit from the write-ahead log.
 */
export async function stopServer(
  cluster: string,
  server: ProcessIdentity,
  binaries: Binaries,
): Promise<void> {
  requestStop(cluster, server, binaries, 'fast');
  if (await waitUntilEnded(server, fastStopTimeoutMs)) return;
  requestStop(cluster, server, binaries, 'immediate');
  if (await waitUntilEnded(server, immediateStopTimeoutMs)) return;
  throw new Error(`PostgreSQL (process ${server.pid}) does not stop. End it with: kill -9 ${server.pid}`);
}

/** Waits until the process ends. False if it exceeds the timeout. */
export async function waitUntilEnded(
  server: ProcessIdentity,
  timeoutMs = fastStopTimeoutMs,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(server)) {
    if (Date.now() > deadline) return false;
    await sleep(pollIntervalMs);
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
    // Windows has no signals: process.kill would end the server without a shutdown.
    spawn(binaries.pgCtl, ['stop', '-W', '-D', cluster, '-m', mode], { stdio: 'ignore', windowsHide: true });
  } else {
    process.kill(server.pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  }
}

async function spawnServer(
  { cluster, account }: ClusterLocation,
  binaries: Binaries,
  port: number,
  { logFile, settings }: ServerOptions,
): Promise<ProcessIdentity> {
  const args = Object.entries({
    ...defaultSettings,
    ...settings,
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '', // A socket's path is limited to 107 bytes.
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const env = serverEnvironment(await ignoreStalePidFile(cluster));
  if (process.platform === 'win32') return spawnOnWindows(cluster, binaries, args, logFile, env);
  // This process opens the log, so the server's account needs no access to the file.
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(binaries.postgres, ['-D', cluster, ...args], {
      ...credentials(account),
      cwd: '/',
      env,
      // Use a separate process group. Otherwise, Ctrl-C in the terminal would stop the server
      // before its clients.
      detached: true,
      stdio: ['ignore', log, log],
    });
    await once(child, 'spawn');
    // A caller that never calls stop() can still exit.
    child.unref();
    const pid = child.pid ?? 0;
    const shell = stopWithThisProcess(cluster, pid);
    child.once('exit', () => shell.kill());
    return identifyProcess(pid) ?? { pid, startTime: null };
  } finally {
    closeSync(log);
  }
}

/**
 * Waits until its standard input ends, which is when the process that started it ends in any way,
 * also by SIGKILL. Then it stops the server, unless that has ended already.
 */
const stopAtEndOfInput = `read -r _; [ "$(head -n 1 "$1/postmaster.pid" 2>/dev/null)" = "$2" ] && kill -INT "$2"`;

/** Lets a shell stop the server if this process ends without stopping it. */
function stopWithThisProcess(cluster: string, pid: number): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', stopAtEndOfInput, 'stop-postgres', cluster, String(pid)], {
    cwd: '/',
    // Use a separate process group, because Ctrl-C in the terminal must not end it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without it, the next start stops the server.
  shell.on('error', () => undefined);
  shell.unref();
  (shell.stdin as Writable & { unref: () => void }).unref();
  return shell;
}

/** postgres.exe refuses to run with administrator rights; pg_ctl drops them first. */
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
