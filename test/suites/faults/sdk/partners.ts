import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { root } from '../../../support/program';
import type { Random } from '../random';
import type { World } from '../world';

/** One line of a partner's journal. */
export interface Line {
  what: 'intended' | 'create' | 'transferred' | 'complete' | 'rejected' | 'recovered' | 'failed';
  key?: string;
  id?: string;
  amount?: string;
  error?: string;
  count?: number;
}

const partnerCount = 4;
const workersPerPartner = 24;
/** Each partner has amounts of its own, so that an amount identifies its contribution. */
const amountsPerPartner = 10_000_000;

/** Processes with SDK clients. A killed process restarts at once and recovers. */
export class Partners {
  private readonly children = new Map<number, ChildProcess>();
  private isStopping = false;
  private readonly read = new Map<number, number>();
  private settledCount = 0;
  readonly folders: string[];
  kills = 0;
  /** What the processes print to standard error. There should be nothing. */
  errors = '';

  constructor(private readonly world: World) {
    this.folders = Array.from({ length: partnerCount }, (_, index) =>
      path.join(world.directory, `sdk-${index}`),
    );
    for (const folder of this.folders) mkdirSync(folder);
  }

  start(): void {
    this.folders.forEach((_, index) => {
      this.launch(index);
    });
  }

  private launch(index: number): void {
    const { clientProxy, tenants } = this.world;
    const environment = tenants.environments[index % tenants.environments.length];
    const options = {
      address: `http://127.0.0.1:${clientProxy.port}`,
      folder: this.folders[index],
      company: environment?.company,
      completer: environment?.completer,
      projects: tenants.activeProjects,
      firstCents: index * amountsPerPartner,
      workers: this.isStopping ? 0 : workersPerPartner,
    };
    const child = spawn(process.execPath, [path.join(__dirname, 'partner.mjs'), JSON.stringify(options)], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (data: Buffer) => {
      this.errors += data.toString();
    });
    child.once('exit', () => {
      if (!this.isStopping) this.launch(index);
    });
    this.children.set(index, child);
  }

  /** Kills one process, wherever it is. */
  async killOne(random: Random): Promise<void> {
    const child = this.children.get(random.integer(0, partnerCount - 1));
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    this.kills += 1;
  }

  /**
   * Ends the processes, then starts each once more to recover. Returns false if that takes too
   * long. A process that has just started may miss the first signal.
   */
  async finish(withinMs: number): Promise<boolean> {
    this.isStopping = true;
    const deadline = delay(withinMs, false, { ref: false });
    const areDone = await Promise.race([this.endAll(), deadline]);
    this.folders.forEach((_, index) => {
      this.launch(index);
    });
    return areDone && (await Promise.race([this.allExited(), deadline]));
  }

  private async endAll(): Promise<boolean> {
    const exited = this.allExited();
    for (const child of this.children.values()) child.kill('SIGTERM');
    return exited;
  }

  private async allExited(): Promise<boolean> {
    const running = [...this.children.values()].filter(
      ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
    );
    await Promise.all(running.map((child) => once(child, 'exit')));
    return true;
  }

  /** Kills the programs that still run, and starts none again. */
  stop(): void {
    this.isStopping = true;
    for (const child of this.children.values()) child.kill('SIGKILL');
  }

  /** The number of creates and completions that the SDK reported. Reads only what is new. */
  settled(): number {
    for (const [index, folder] of this.folders.entries()) {
      const file = path.join(folder, 'journal');
      const from = this.read.get(index) ?? 0;
      const to = existsSync(file) ? statSync(file).size : 0;
      if (to <= from) continue;
      const data = Buffer.alloc(to - from);
      const descriptor = openSync(file, 'r');
      readSync(descriptor, data, 0, data.length, from);
      closeSync(descriptor);
      // Up to the last complete line.
      const end = data.lastIndexOf('\n') + 1;
      this.read.set(index, from + end);
      this.settledCount += data.toString('utf8', 0, end).match(/"what":"(create|complete)"/g)?.length ?? 0;
    }
    return this.settledCount;
  }

  lines(): Line[] {
    return this.folders.flatMap((folder) => linesOf(path.join(folder, 'journal')));
  }
}

function linesOf(file: string): Line[] {
  try {
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
