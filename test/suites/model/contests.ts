import type { Random } from '../faults/random';
import { bringAbout, type Happening } from './bring-about';
import type { OwnersBank } from './commands/links';
import type { Operation, Target } from './operations';
import type { Play } from './play';

/**
 * The relation of two banks of one company to one of its transactions (decision 39), and the
 * actions that create it.
 */
const recipes = {
  'pending, under both': ['link', 'link second', 'create'],
  'by the bank, under both': ['link', 'link second', 'create', 'bank completes'],
  'by the second bank, under both': ['link', 'link second', 'create', 'second completes'],
  'by the bank, the second linked before': [
    ...(['unlink second', 'link', 'create'] as const),
    ...(['link second', 'bank completes'] as const),
  ],
  'by the bank, the second linked since': [
    ...(['unlink second', 'link', 'create'] as const),
    ...(['bank completes', 'link second'] as const),
  ],
  'by the second bank, its link ended': [
    ...(['link', 'link second', 'create'] as const),
    ...(['second completes', 'unlink second'] as const),
  ],
} as const satisfies Record<string, readonly Happening[]>;

export type ContestState = keyof typeof recipes;
export const contestStates = Object.keys(recipes) as ContestState[];

/** Every caller and operation for which a second bank changes the response. */
export const contestants: readonly OwnersBank[] = ['bank', 'second'];
export const contestOperations = [
  'complete: plain',
  'complete: its amount',
  'complete: another amount',
  'complete: its reference',
  'complete: another reference',
  'read',
  'list: completed',
] as const satisfies readonly Operation[];
export type ContestOperation = (typeof contestOperations)[number];

/** Creates a transaction in a state. */
export async function inContest(play: Play, random: Random, state: ContestState): Promise<Target> {
  const id = await bringAbout(play, random, recipes[state]);
  return play.belief().transactions.get(id)!;
}
