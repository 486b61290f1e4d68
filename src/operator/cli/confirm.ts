import { createInterface } from 'node:readline/promises';

import type { CommandIo } from './command-io';

/** A command was not confirmed. Nothing changed. */
export class NotConfirmed extends Error {}

type Terminal = Pick<CommandIo, 'stdin' | 'stderr'>;

/** @returns the reply; empty after Ctrl+C, Ctrl+D or the end of input */
async function ask(question: string, { stdin: input, stderr: output }: Terminal): Promise<string> {
  const lines = createInterface({ input, output });
  const closed = new Promise<string>((resolve) => {
    lines.once('close', () => {
      // A reply that arrives together with the end of input still counts.
      setImmediate(resolve, '');
    });
  });
  try {
    return await Promise.race([lines.question(question).catch(() => ''), closed]);
  } finally {
    lines.close();
  }
}

/**
 * Asks for confirmation of a command.
 *
 * @param isAgreed whether --yes was given
 * @throws NotConfirmed if the reply is not "yes", or there is no terminal
 */
export async function confirm(question: string, isAgreed: boolean, terminal: Terminal): Promise<void> {
  if (isAgreed) return;
  if (!terminal.stdin.isTTY || !terminal.stderr.isTTY) {
    throw new NotConfirmed(`${question}\nThere is no terminal to confirm on. Run the command with --yes.`);
  }
  const answer = await ask(`${question}\nType "yes" to continue: `, terminal);
  if (answer.trim().toLowerCase() !== 'yes') throw new NotConfirmed('Nothing changed.');
}
