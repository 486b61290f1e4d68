import fc from 'fast-check';

import { createRandom } from '../faults/random';
import { take } from './aims';
import { type Cell, atOnce, possibleCells } from './cells';
import type { Session } from './session';
import { transactionStates, type TransactionState } from './states';
import { type Part, takeTogether } from './together';
import { principals } from './world';

/** One step of a sequence. Numbers choose among whatever there is at the time. */
export type Step =
  { cell: Cell; number: number } | { together: readonly Part[]; state: TransactionState; number: number };

export type Sequence = readonly Step[];

const number = fc.nat({ max: 999_999 });

// Mostly those two who may change something.
const by = fc.constantFrom(
  'owner' as const,
  'bank' as const,
  'owner' as const,
  'bank' as const,
  ...principals,
);

const aim = fc.record({
  cell: fc.constantFrom(...possibleCells.filter(({ table }) => table !== 'atOnce')),
  number,
});

const together = fc.record({
  state: fc.constantFrom(...transactionStates.filter((state) => state !== 'never issued')),
  together: fc.array(fc.record({ kind: fc.constantFrom('complete' as const, ...atOnce), by, number }), {
    minLength: 2,
    maxLength: 5,
    size: 'max',
  }),
  number,
});

/** Steps by themselves and steps at once, in any order. */
export const sequence: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof({ weight: 3, arbitrary: aim }, { weight: 2, arbitrary: together }),
  { minLength: 1, maxLength: 8, size: 'max' },
);

const cellsInSequence = 8;

/**
 * The first sequences of a run: every cell that can be is aimed at once, in an order that the seed decides. What comes
 * after them is random. A lane takes its share of them.
 */
export function sweep(seed: number, lanes: number): [Step[]][] {
  const random = createRandom(seed - (seed % lanes));
  const shuffled = random.shuffle(possibleCells);
  const sequences: [Step[]][] = [];
  for (let start = 0; start < shuffled.length; start += cellsInSequence) {
    const steps = shuffled
      .slice(start, start + cellsInSequence)
      // What was linked once cannot be "never linked" again, so that comes first, and making the link last of that.
      .map((cell) => ({ cell, rank: cell.state !== 'never linked' ? 2 : cell.operation === 'link' ? 1 : 0 }))
      .sort((one, other) => one.rank - other.rank)
      .map(({ cell }) => ({ cell, number: random.integer(0, 999_999) }));
    sequences.push([steps]);
  }
  return sequences.filter((_steps, index) => index % lanes === seed % lanes);
}

export async function takeStep(session: Session, step: Step): Promise<void> {
  if ('cell' in step) await take(session, step.cell, step.number);
  else await takeTogether(session, step.state, step.together, step.number);
}
