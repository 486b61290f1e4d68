import { inspect } from 'node:util';

import { interruption, watchForInterruption } from './interruption';

/** A line on the terminal. */
export const say = (line = ''): void => void process.stdout.write(`${line}\n`);

/** Exits with the reason and its cause. */
export function runMain(main: () => Promise<void>): void {
  watchForInterruption();
  main().catch((error: unknown) => {
    process.stderr.write(`${interruption.aborted ? String(interruption.reason) : inspect(error)}\n`);
    process.exitCode = 1;
  });
}
