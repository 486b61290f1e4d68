import { setImmediate as nextTurn } from 'node:timers/promises';

import { DatabaseFailure } from '../../db/errors';
import { type CommandIo, printLine } from './command-io';
import { exitCodes } from './exit-codes';

/** Standard output takes no more text, so a command that only reads stops. */
export class OutputLost extends Error {
  constructor(cause: unknown) {
    super('standard output takes no more text', { cause });
  }
}

/** A change is committed, but its result could not be read or written. */
export class ResultLost extends Error {
  /** @param left what exists now and how to undo it, in whole sentences */
  constructor(cause: unknown, left: string) {
    const reason = cause instanceof DatabaseFailure ? cause.cause : cause;
    const words = reason instanceof Error ? reason.message : 'no reason given';
    super(`The change was made, but its result is lost (${words}). ${left}`, { cause });
  }
}

/**
 * Remembers the first error of standard output. Ignores errors of standard error, because the exit
 * code also tells the outcome.
 *
 * @returns a function that stops this
 */
export function watchOutput(io: CommandIo): () => void {
  const remember = (error: Error): void => {
    io.lost ??= error;
  };
  const ignore = (): void => undefined;
  io.stdout.on('error', remember);
  io.stderr.on('error', ignore);
  return () => {
    io.stdout.off('error', remember);
    io.stderr.off('error', ignore);
  };
}

/** Waits until standard output has taken or lost everything, and returns its first error. */
export async function lostOutput(io: CommandIo): Promise<Error | undefined> {
  if (io.stdout.writableLength > 0) await new Promise<unknown>((taken) => io.stdout.write('', taken));
  // A stream emits its error after the write has returned.
  await nextTurn();
  return io.lost;
}

/** The reader has closed the pipe, as in `… | head`. */
const isClosedPipe = (error: Error): boolean => 'code' in error && error.code === 'EPIPE';

/**
 * Reports the lost output of a command that succeeded and changed nothing. A reader that stops
 * early is no error.
 */
export async function reportLostOutput(io: CommandIo): Promise<void> {
  const lost = await lostOutput(io);
  const hasSucceeded = io.exitCode === exitCodes.done || io.exitCode === exitCodes.found;
  if (lost === undefined || isClosedPipe(lost) || !hasSucceeded) return;
  io.exitCode = exitCodes.failed;
  printLine(io.stderr, `The output cannot be written: ${lost.message}. No data changed.`);
}
