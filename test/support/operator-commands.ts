import { Readable, Writable } from 'node:stream';

import type { Command } from 'commander';

import { listSettings } from '../../src/contracts';
import type { CommandIo, Output } from '../../src/operator/cli/command-io';
import { type Program, runCommandLine } from '../../src/operator/cli/command-line';
import { migrateProgram } from '../../src/operator/cli/migrate.command';
import { operatorProgram } from '../../src/operator/cli/program';
import type { TestDatabase } from './database';
import type { Finished } from './program';

/** An output that is no terminal, and the text that it has received. */
function captured(): { stream: Output; text: () => string } {
  const parts: Buffer[] = [];
  const stream = new Writable({
    write(part: Buffer, _encoding, done) {
      parts.push(part);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(parts).toString() };
}

/** No terminal. */
const ioWith = (
  settings: Readonly<Record<string, string>>,
  stdin = '',
  stdout = captured().stream,
  stderr = captured().stream,
): CommandIo => ({
  environment: settings,
  schema: listSettings(),
  stdin: Readable.from([]),
  readStdin: () => Buffer.from(stdin),
  stdout,
  stderr,
  isDiscarded: false,
  exitCode: 0,
  lost: undefined,
});

/** An output that fails, as a full disk (ENOSPC) or a closed pipe (EPIPE). Keeps the first text. */
function failing(code: string): { stream: Output; text: () => string } {
  let first = '';
  const stream = new Writable({
    write(part: Buffer, _encoding, done) {
      first = part.toString();
      done(Object.assign(new Error(`${code}: write`), { code }));
    },
  });
  return { stream, text: () => first };
}

export interface Outcome {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command in this process, without a terminal. Several can run at once. Only tests of the
 * process itself start one with `program.ts`: its exit code, terminal, pipes, signals or build.
 *
 * @param settings the whole environment of the command
 */
async function runHere(
  program: Program,
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  stdin?: string,
  isDiscarded = false,
): Promise<Outcome> {
  const [stdout, stderr] = [captured(), captured()];
  const io = { ...ioWith(settings, stdin, stdout.stream, stderr.stream), isDiscarded };
  const exitCode = await runCommandLine(program, words, io);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** The commands of `bin/contribution-service`, to inspect. */
export const operatorCommands = (): Command => operatorProgram.create(ioWith({}));

/** Runs a command of `bin/contribution-service`, and returns its standard output separately. */
export const runOpsSeparately = (
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  { isDiscarded = false } = {},
): Promise<Outcome> => runHere(operatorProgram, words, settings, undefined, isDiscarded);

/** Runs a command of `bin/contribution-service` on a terminal of this width, without color. */
export async function runOnTerminal(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  columns: number,
): Promise<Outcome> {
  const [stdout, stderr] = [captured(), captured()];
  for (const { stream } of [stdout, stderr]) Object.assign(stream, { isTTY: true, columns });
  const io = ioWith({ ...settings, NO_COLOR: '1' }, undefined, stdout.stream, stderr.stream);
  const exitCode = await runCommandLine(operatorProgram, words, io);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

const together = ({ exitCode, stdout, stderr }: Outcome): Finished => ({
  exitCode,
  output: stdout + stderr,
});

/** Runs a command of `bin/contribution-service`. Its output includes standard error. */
export const runOps = async (
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  stdin?: string,
): Promise<Finished> => together(await runHere(operatorProgram, words, settings, stdin));

/**
 * Runs a command whose standard output fails.
 *
 * @param code of the error, such as ENOSPC
 * @param stderrToo whether standard error fails too
 * @returns the first line that it tried to print, and standard error
 */
export async function runWithoutOutput(
  program: Program,
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  code: string,
  stderrToo = false,
): Promise<Outcome> {
  const [stdout, stderr] = [failing(code), stderrToo ? failing(code) : captured()];
  const io = ioWith(settings, undefined, stdout.stream, stderr.stream);
  const exitCode = await runCommandLine(program, words, io);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** Runs a command of `npm run migrate`. Its output includes standard error. */
export const runMigrate = async (
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<Finished> => together(await runHere(migrateProgram, words, settings));

/** The settings of an operator of this database. */
export const operatorSettings = ({
  url,
  operatorUrl,
}: Pick<TestDatabase, 'url' | 'operatorUrl'>): Record<string, string> => ({
  DATABASE_URL: url,
  DATABASE_OPERATOR_URL: operatorUrl,
  ALLOW_PLAIN_HTTP: 'on',
  CREDENTIAL_PEPPERS: '1:a-pepper-for-the-tests-of-the-operator',
});
