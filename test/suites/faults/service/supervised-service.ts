import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, writeFileSync, type WriteStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

import { root } from '../../../support/program';

export interface SupervisedServiceOptions {
  /** Settings of the service as environment variables. */
  settings: Readonly<Record<string, string>>;
  /** The folder of its log and of its clock offset. */
  directory: string;
  /** The service, or a separate process that delivers webhooks. */
  program: 'server' | 'deliver';
}

/** The service as shipped, restarted whenever it exits, as a process manager does. */
export class SupervisedService {
  private child: ChildProcess | undefined;
  private isSelected = false;
  private readonly log: WriteStream;
  private readonly clockFile: string;
  /** The number of starts. */
  starts = 0;
  /** Exit codes and signals of its exits, in order. */
  readonly ends: string[] = [];
  /** Log lines at level error, except those for unknown outcomes. There should be none. */
  readonly alarms: string[] = [];

  constructor(private readonly options: SupervisedServiceOptions) {
    this.log = createWriteStream(path.join(options.directory, `${options.program}.log`), { flags: 'a' });
    this.clockFile = path.join(options.directory, `clock-offset-${options.program}`);
    writeFileSync(this.clockFile, '0');
  }

  async start(): Promise<void> {
    this.isSelected = true;
    this.launch();
    const health = `http://127.0.0.1:${this.options.settings['PORT'] ?? ''}/health/ready`;
    for (const deadline = Date.now() + 120_000; Date.now() < deadline;) {
      if ((await fetch(health).catch(() => undefined))?.ok) return;
      await delay(20);
    }
    throw new Error(`it does not become ready; see ${this.options.program}.log`);
  }

  private launch(): void {
    const { PATH, HOME } = process.env;
    const child = spawn(
      process.execPath,
      [
        '--require',
        path.join(__dirname, 'clock-step.cjs'),
        path.join(root, 'dist', 'src', `${this.options.program}.js`),
      ],
      {
        env: { PATH, HOME, ENV_FILE: 'off', ...this.options.settings, CLOCK_OFFSET_FILE: this.clockFile },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.child = child;
    this.starts += 1;
    createInterface(child.stdout).on('line', (line) => {
      this.log.write(`${line}\n`);
      if (/"level":[56]0/.test(line) && !line.includes('outcome_unknown')) this.alarms.push(line);
    });
    createInterface(child.stderr).on('line', (line) => {
      this.log.write(`${line}\n`);
      this.alarms.push(line);
    });
    child.once('exit', (code, signal) => {
      this.ends.push(signal ?? String(code));
      if (this.isSelected) this.launch();
    });
  }

  /** Kills the current process; resolves when it has exited and the next one is starting. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  /** Shifts the clock of the current process and of later ones. */
  stepClock(offsetMs: number): void {
    writeFileSync(this.clockFile, String(offsetMs));
    this.child?.kill('SIGUSR2');
  }

  async stop(): Promise<void> {
    this.isSelected = false;
    const ended = this.end('SIGTERM').then(() => true);
    if (!(await Promise.race([ended, delay(15_000, false, { ref: false })]))) await this.end('SIGKILL');
    this.log.end();
  }
}
