import type { Readable, Writable } from 'node:stream';

import type { SettingsSchema } from '../../read-settings';

export type Input = Readable & { isTTY?: boolean };
export type Output = Writable & { isTTY?: boolean; columns?: number };

/** What a command reads, writes and returns, so that several can run in one process. */
export interface CommandIo {
  /** The environment variables, with the settings. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The settings that its commands read; by default those of the core. */
  readonly schema: SettingsSchema | undefined;
  /** Where an operator types a confirmation. */
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Whether standard output is /dev/null. Node.js opens it there if the caller closed it. */
  readonly isDiscarded: boolean;
  /** Reads standard input to its end. After that, a terminal can still confirm on `stdin`. */
  readonly readStdin: () => Buffer;
  /** Whether the command prints JSON, so that its errors are JSON too. */
  json?: boolean;
  /** The exit code so far (`exit-codes.ts`). */
  exitCode: number;
  /** The first error of standard output. Text that was printed before it may be lost too. */
  lost: Error | undefined;
}

export function printLine(stream: Output, text: string): void {
  stream.write(`${text}\n`);
}
