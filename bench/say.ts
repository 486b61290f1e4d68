/** A line on the terminal. */
export const say = (line = ''): void => void process.stdout.write(`${line}\n`);

/** Ends the program with the reason, without a stack where the reason is enough. */
export function runMain(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  });
}
