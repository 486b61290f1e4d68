import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { interruption } from '../interruption';

/** Command line and environment of a program. */
export interface Command {
  /** Arguments of `node`. */
  script: string;
  environment: Readonly<Record<string, string>>;
  port: number;
  logFile: string;
}

export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function listens(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  const opened = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return opened;
}

/** Time to finish requests before a program is stopped. */
const settleMs = 100;

/** A program under test in a separate process, with its log in a file. */
export class RunningProgram {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {}

  static async start({ script, environment, port, logFile }: Command): Promise<RunningProgram> {
    interruption.throwIfAborted();
    const log = openSync(logFile, 'a', 0o600);
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, [script], {
      env: { PATH, HOME, ENV_FILE: 'off', NODE_ENV: 'production', ...environment },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const program = new RunningProgram(child, port);
    for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
      if (child.exitCode !== null) break;
      if (await listens(port)) return program;
      await delay(50);
    }
    await program.stop();
    throw new Error(`${script} does not listen: see ${logFile}`);
  }

  get processId(): number {
    return this.child.pid ?? 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /**
   * Stops the process (SIGSTOP), so that it uses no CPU time. Its connections stay open, because
   * the kernel maintains them.
   */
  async pause(): Promise<void> {
    await delay(settleMs);
    this.child.kill('SIGSTOP');
  }

  /** Resumes the process for some work and stops it again. */
  async whileRunning<T>(work: () => Promise<T>): Promise<T> {
    this.child.kill('SIGCONT');
    try {
      return await work();
    } finally {
      await this.pause();
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit').then(() => true);
    this.child.kill('SIGTERM');
    // A stopped process does not receive SIGTERM, so resume it first.
    this.child.kill('SIGCONT');
    if (!(await Promise.race([exited, delay(15_000, false, { ref: false })]))) this.child.kill('SIGKILL');
    await exited;
  }
}
