import { createRandom } from './random';

/**
 * One fault of the schedule: which kind, and the seed of whatever it draws itself (how long, which
 * direction).
 */
export interface ScheduledFault<Kind extends string = string> {
  readonly number: number;
  readonly kind: Kind;
  readonly seed: number;
}

/**
 * The faults of a run, without end. They depend on the seed and on the list of kinds only, never on
 * what happens: every kind comes once before one comes again, in an order drawn anew each time.
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
