import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

import { root } from '../../../support/program';

/** The service as shipped, in a separate process that is not restarted when it exits. */
export class ShippedService {
  /** The first error lines of its log. */
  readonly errorLines: string[] = [];
  private isSelected = true;

  private constructor(private readonly child: ChildProcess) {
    const note = (line: string): void => {
      if (this.errorLines.length < 50) this.errorLines.push(line);
    };
    if (!child.stdout || !child.stderr) throw new Error('the service was started without its outputs');
    createInterface(child.stdout).on('line', (line) => {
      if (/"level":[56]0/.test(line)) note(line);
    });
    createInterface(child.stderr).on('line', note);
    child.once('exit', (code, signal) => {
      if (this.isSelected) note(`the service ended: ${signal ?? String(code)}`);
    });
  }

  /** @param settings environment variables, including PORT */
  static async start(settings: Readonly<Record<string, string>>): Promise<ShippedService> {
    const { PATH, HOME } = process.env;
    const child = spawn(
      process.execPath,
      ['--require', path.join(__dirname, 'collect-garbage.cjs'), path.join(root, 'dist', 'src', 'server.js')],
      { env: { PATH, HOME, ENV_FILE: 'off', ...settings }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    );
    const service = new ShippedService(child);
    const health = `http://127.0.0.1:${settings['PORT'] ?? ''}/health/ready`;
    for (const deadline = Date.now() + 120_000; Date.now() < deadline;) {
      if ((await fetch(health).catch(() => undefined))?.ok) return service;
      await delay(50);
    }
    await service.stop();
    throw new Error(`the service does not become ready: ${service.errorLines.join('\n')}`);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resident memory after a garbage collection, in bytes. */
  async residentBytes(): Promise<number> {
    if (!this.isRunning) throw new Error('the service has ended');
    this.child.send('collect');
    const [usage] = (await once(this.child, 'message')) as [NodeJS.MemoryUsage];
    return usage.rss;
  }

  async stop(): Promise<void> {
    this.isSelected = false;
    if (!this.isRunning) return;
    const exited = once(this.child, 'exit').then(() => true);
    this.child.kill('SIGTERM');
    if (!(await Promise.race([exited, delay(15_000, false, { ref: false })]))) this.child.kill('SIGKILL');
    await exited;
  }
}
