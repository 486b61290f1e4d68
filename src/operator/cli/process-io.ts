import { readFileSync } from 'node:fs';

import type { CommandIo } from './command-io';
import { type Program, runCommandLine } from './command-line';
import { endQuietlyWithReader } from './end-quietly';
import { exitCodes } from './exit-codes';

const processIo = (): CommandIo => ({
  environment: process.env,
  // Opened only by a command that asks for a confirmation.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  readStdin: () => readFileSync(0),
  exitCode: exitCodes.done,
});

/** Runs the program with the arguments, settings and streams of this process. */
export async function runAsProcess(program: Program): Promise<void> {
  endQuietlyWithReader();
  process.exitCode = await runCommandLine(program, process.argv.slice(2), processIo());
}
