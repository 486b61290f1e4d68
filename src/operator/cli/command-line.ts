import { type Command, CommanderError } from 'commander';

import type { CommandIo, Output } from './command-io';
import { exitCodes } from './exit-codes';
import { reportLostOutput, watchOutput } from './lost-output';
import { printError, showsColor } from './operator';

/** Commander's default for an output that is no terminal. */
const defaultHelpWidth = 80;

const helpWidth = ({ isTTY, columns = defaultHelpWidth }: Output): number =>
  isTTY ? columns : defaultHelpWidth;

/** Makes this command and its subcommands print to `io`, and throw instead of exiting. */
function connect(command: Command, io: CommandIo): void {
  const { stdout, stderr } = io;
  command.exitOverride().configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => io.json || stderr.write(text),
    getOutHelpWidth: () => helpWidth(stdout),
    getErrHelpWidth: () => helpWidth(stderr),
    getOutHasColors: () => showsColor(io, stdout),
    getErrHasColors: () => showsColor(io, stderr),
  });
  for (const subcommand of command.commands) connect(subcommand, io);
}

/** A program with commands. */
export interface Program {
  create: (io: CommandIo) => Command;
  /** The exit code of an invalid command. */
  invalid: number;
}

/**
 * Runs one command to its end, with nothing of the process but what `io` has.
 *
 * @param words the arguments of the program
 * @returns the exit code
 */
export async function runCommandLine(
  { create, invalid }: Program,
  words: readonly string[],
  io: CommandIo,
): Promise<number> {
  io.json = words.includes('--json');
  const program = create(io);
  connect(program, io);
  const unwatch = watchOutput(io);
  try {
    await program.parseAsync(words, { from: 'user' }).catch((error: unknown) => {
      if (!(error instanceof CommanderError)) throw error;
      io.exitCode = error.exitCode === 0 ? exitCodes.done : invalid;
      if (io.json && io.exitCode !== exitCodes.done) printError(io, error.message);
    });
    await reportLostOutput(io);
  } finally {
    unwatch();
  }
  return io.exitCode;
}
