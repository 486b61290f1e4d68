import type { Journal } from './journal/journal';

/** A world in which a run takes place. */
export interface JudgedWorld {
  readonly journal: Journal;
  /** The folder of the logs. */
  readonly directory: string;
  stop(options: { keepLogs: boolean }): Promise<void>;
}

const mostPrinted = 50;

/**
 * Plays a run, prints its violations and stops its world. An error is a violation too. After a
 * violation, the logs stay, and the program ends with exit code 1.
 *
 * @param seed repeats the run
 */
export async function judgeRun(world: JudgedWorld, seed: number, play: () => Promise<void>): Promise<void> {
  const { journal, directory } = world;
  try {
    await play();
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? '') : String(error);
    journal.violate('unexplained', `the run failed: ${reason}`);
  }
  const print = (line: string): void => void process.stderr.write(`${line}\n`);
  for (const { kind, what } of journal.violations.slice(0, mostPrinted)) print(`${kind}: ${what}`);
  const hasFailed = journal.violations.length > 0;
  await world.stop({ keepLogs: hasFailed });
  if (!hasFailed) return;
  print(`failed with seed ${seed}; logs are in ${directory}`);
  process.exitCode = 1;
}
