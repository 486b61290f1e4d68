import { inspect } from 'node:util';

import { interruption, watchForInterruption } from './interruption';

/** A line on the terminal. */
export const say = (line = ''): void => void process.stdout.write(`${line}\n`);

/** Ends the program with the reason, and what it came from. */
export function runMain(main: () => Promise<void>): void {
  watchForInterruption();
  main().catch((error: unknown) => {
    process.stderr.write(`${interruption.aborted ? String(interruption.reason) : inspect(error)}\n`);
    process.exitCode = 1;
  });
}
