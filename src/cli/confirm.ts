import { createInterface } from 'node:readline/promises';

/** Nobody confirmed what cannot be undone. Nothing was changed. */
export class NotConfirmed extends Error {}

/**
 * Asks before something is done that cannot be undone.
 *
 * @param isAgreed the option --yes was given
 * @throws NotConfirmed without an agreement, and where nobody can be asked
 */
export async function confirm(question: string, isAgreed: boolean): Promise<void> {
  if (isAgreed) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new NotConfirmed(`${question}\nThere is no terminal to ask on: repeat it with --yes.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question}\nType "yes" to go on: `);
    if (answer.trim().toLowerCase() !== 'yes') throw new NotConfirmed('Nothing was changed.');
  } finally {
    terminal.close();
  }
}
