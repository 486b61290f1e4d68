import { type ChildProcess, spawn } from 'node:child_process';

import { redact } from '../../logging.js';
import { UsageError } from '../command.js';
import type { Run } from './case.js';

export interface Program {
  command: readonly string[];
  variables: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
}

/** How much of the output the report shows. */
const mostOutput = 2_000;

/** The secrets that the program gets, and may print. */
const secretsOf = ({
  CONTRIBUTION_API_SECRET: apiSecret,
  WEBHOOK_SECRET: signing = '',
}: Program['variables']): (string | undefined)[] => [apiSecret, ...signing.split(' ')];

/** Kills the program and its child processes. Windows has no process groups. */
function killTree(child: ChildProcess): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

/** The running programs of one case. */
export class Programs {
  readonly #running = new Map<ChildProcess, Promise<unknown>>();
  readonly #killOnExit = (): void => {
    for (const child of this.#running.keys()) killTree(child);
  };

  constructor() {
    process.once('exit', this.#killOnExit);
  }

  /** Ends every running program, and resolves when they have ended. */
  async kill(): Promise<void> {
    const ended = [...this.#running.values()];
    this.#killOnExit();
    await Promise.all(ended);
  }

  async close(): Promise<void> {
    await this.kill();
    process.removeListener('exit', this.#killOnExit);
  }

  /** @throws UsageError if the program cannot be started */
  async run({ command, variables, timeoutMs }: Program): Promise<Omit<Run, 'step'>> {
    const [file = '', ...args] = command;
    const child = spawn(file, args, {
      env: variables,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    const secrets = secretsOf(variables);
    // Redact before truncating, which could leave a part of a secret.
    const append = (text: string, data: Buffer): string =>
      redact(text + data.toString(), secrets).slice(-mostOutput);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => {
        output = append(output, data);
        if (stream === child.stderr) errors = append(errors, data);
      });
    }
    let isTimeout = false;
    const timer = setTimeout(() => {
      isTimeout = true;
      killTree(child);
    }, timeoutMs);
    const ended = new Promise<number | undefined>((resolve, reject) => {
      child.once('error', (error) => {
        reject(new UsageError(`${file} cannot be started: ${error.message}`));
      });
      child.once('close', (code) => {
        resolve(code ?? undefined);
      });
    });
    this.#running.set(
      child,
      ended.catch(() => undefined),
    );
    try {
      return { exitCode: await ended, isTimeout, output, errors };
    } finally {
      clearTimeout(timer);
      this.#running.delete(child);
    }
  }
}
