import { createInterface } from 'node:readline/promises';

/** Nobody confirmed what cannot be undone. Nothing was changed. */
export class NotConfirmed extends Error {}

/** Where somebody is asked, and answers. */
export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream & { isTTY?: boolean };
}

/**
 * What was typed; nothing when it was broken off instead, by Ctrl+C, Ctrl+D or the end of the
 * terminal.
 */
async function ask(question: string, { input, output }: Terminal): Promise<string> {
  const lines = createInterface({ input, output });
  const brokenOff = new Promise<string>((resolve) => {
    lines.once('close', () => {
      // An answer may have come together with the end, and counts.
      setImmediate(resolve, '');
    });
  });
  try {
    return await Promise.race([lines.question(question).catch(() => ''), brokenOff]);
  } finally {
    lines.close();
  }
}

/**
 * Asks before something is done that cannot be undone.
 *
 * @param isAgreed the option --yes was given
 * @throws NotConfirmed without an agreement, and where nobody can be asked
 */
export async function confirm(
  question: string,
  isAgreed: boolean,
  terminal: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (isAgreed) return;
  if (!terminal.input.isTTY || !terminal.output.isTTY) {
    throw new NotConfirmed(`${question}\nThere is no terminal to confirm on. Run the command with --yes.`);
  }
  const answer = await ask(`${question}\nType "yes" to continue: `, terminal);
  if (answer.trim().toLowerCase() !== 'yes') throw new NotConfirmed('Nothing changed.');
}
