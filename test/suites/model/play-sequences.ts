import fc from 'fast-check';

import { createRandom } from '../faults/random';
import { startPlay } from './play';
import { mix, sequenceArbitrary } from './sequences';
import type { Shared } from './service-under-test';
import { takeStep } from './steps';
import type { Visits } from './visits';

/** The number of concurrent sequences: while one waits, another computes. */
const playersAtATime = 6;
/** The time limit for shrinking a failed sequence. */
const shrinkingMs = 60_000;
/** A long run reports its progress. */
const progressEvery = 2_500;

/**
 * Plays one sequence; if it fails, shrinks it.
 *
 * @param path fast-check's path to the shrunk sequence of an earlier run
 * @throws Error with the data to replay it
 */
export async function playSequence(
  shared: Shared,
  visits: Visits,
  { seed, sequence, path }: { seed: number; sequence: number; path?: string | undefined },
): Promise<void> {
  const property = fc.asyncProperty(sequenceArbitrary(seed, sequence), async (steps) => {
    const play = await startPlay(shared);
    for (const step of steps) await takeStep(play, visits, step);
    await play.checkDatabase();
    await play.checkFeedsAndTotals(createRandom(mix(seed, sequence)));
  });
  const result = await fc.check(property, {
    seed: mix(seed, sequence),
    numRuns: 1,
    interruptAfterTimeLimit: shrinkingMs,
    markInterruptAsFailure: true,
    ...(path === undefined ? {} : { path }),
  });
  if (!result.failed) return;
  const replay = `MODEL_SEED=${seed} MODEL_ONLY=${sequence} MODEL_PATH=${result.counterexamplePath ?? '0'}`;
  throw new Error(
    `sequence ${sequence} failed; replay it with: ${replay} npm run test:suite model\n` +
      `steps: ${JSON.stringify(result.counterexample)}\n${String(result.errorInstance)}`,
    { cause: result.errorInstance },
  );
}

/**
 * Plays sequences 0 to `count` - 1, several concurrently, until one fails.
 *
 * @throws Error of the sequences that failed
 */
export async function playSequences(
  shared: Shared,
  visits: Visits,
  { seed, count }: { seed: number; count: number },
): Promise<void> {
  let next = 0;
  let hasFailed = false;
  const player = async (): Promise<void> => {
    while (next < count && !hasFailed) {
      const sequence = next;
      next += 1;
      if (next % progressEvery === 0)
        process.stdout.write(`${new Date().toISOString()} sequence ${next} begins\n`);
      await playSequence(shared, visits, { seed, sequence }).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  const players = await Promise.allSettled(Array.from({ length: playersAtATime }, player));
  const failures = players.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
}
