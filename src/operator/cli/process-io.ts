import { fstatSync, readFileSync, statSync } from 'node:fs';
import { devNull } from 'node:os';

import type { CommandIo } from './command-io';
import { type Program, runCommandLine } from './command-line';
import { exitCodes } from './exit-codes';

function isNullDevice(descriptor: number): boolean {
  const [found, nullDevice] = [fstatSync(descriptor), statSync(devNull)];
  return found.isCharacterDevice() && found.rdev === nullDevice.rdev;
}

const processIo = (schema: CommandIo['schema']): CommandIo => ({
  environment: process.env,
  schema,
  // Opened only by a command that asks for a confirmation.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  get isDiscarded() {
    return isNullDevice(1);
  },
  readStdin: () => readFileSync(0),
  exitCode: exitCodes.done,
  lost: undefined,
});

/** Runs the program with the arguments, settings and streams of this process. */
export async function runAsProcess(program: Program, schema?: CommandIo['schema']): Promise<void> {
  // `runCommandLine` reports lost output. A late error must not end the process with another code.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.exitCode = await runCommandLine(program, process.argv.slice(2), processIo(schema));
}
