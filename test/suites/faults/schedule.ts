import { createRandom } from './random';

/**
 * A fault of the schedule: its kind, and the seed of its own choices, such as duration and
 * direction.
 */
export interface ScheduledFault<Kind extends string = string> {
  readonly number: number;
  readonly kind: Kind;
  readonly seed: number;
}

/**
 * The endless sequence of a run's faults. It depends only on the seed and the list of kinds. Every
 * kind occurs once before any occurs again, in a new random order each time.
 */
export function* createSchedule<Kind extends string>(
  seed: number,
  kinds: readonly Kind[],
): Generator<ScheduledFault<Kind>, never> {
  const random = createRandom(seed);
  for (let number = 1; ;) {
    for (const kind of random.shuffle(kinds)) {
      yield { number, kind, seed: random.integer(0, 2 ** 32 - 1) };
      number += 1;
    }
  }
}
