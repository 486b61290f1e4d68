import type { Random } from '../faults/random';
import { bringAbout, type Happening } from './bring-about';
import type { Operation, Target } from './operations';
import type { Play } from './play';
import type { Principal } from './principals';

/** Transactions whose net amount is or was zero, and the actions that create them. */
const recipes = {
  'by company, corrected': ['unlink', 'unlink second', 'create', 'company completes', 'company corrects'],
  'by company, corrected, then linked': [
    ...(['unlink', 'unlink second', 'create', 'company completes'] as const),
    ...(['company corrects', 'link'] as const),
  ],
  'by company, linked, then corrected': [
    ...(['unlink', 'unlink second', 'create', 'company completes'] as const),
    ...(['link second', 'operator corrects'] as const),
  ],
  'by bank, corrected': ['link', 'create', 'bank completes', 'bank corrects'],
  'by bank, repeated, corrected': ['link', 'create', 'bank completes', 'bank repeats', 'bank corrects'],
  'by bank, corrected, under both': ['link', 'link second', 'create', 'bank completes', 'operator corrects'],
  'by bank, its link ended, corrected, second linked': [
    ...(['unlink', 'unlink second', 'create', 'link', 'bank completes'] as const),
    ...(['unlink', 'link second', 'operator corrects'] as const),
  ],
  'by bank, its link ended, corrected': [
    ...(['unlink', 'unlink second', 'create', 'link', 'bank completes'] as const),
    ...(['unlink', 'bank corrects'] as const),
  ],
  'by bank, corrected, by second': [
    ...(['link', 'link second', 'create', 'bank completes'] as const),
    ...(['bank corrects', 'second completes'] as const),
  ],
  'by bank, its link ended, corrected, by second': [
    ...(['unlink', 'unlink second', 'create', 'link', 'bank completes'] as const),
    ...(['unlink', 'link second', 'operator corrects', 'second completes'] as const),
  ],
  'by bank, its link ended, corrected, by company': [
    ...(['unlink', 'unlink second', 'create', 'link', 'bank completes'] as const),
    ...(['unlink', 'operator corrects', 'company completes'] as const),
  ],
  'by bank, corrected, by bank, corrected': [
    ...(['link', 'create', 'bank completes', 'bank corrects'] as const),
    ...(['bank completes', 'operator corrects'] as const),
  ],
  'by company, returned': ['unlink', 'unlink second', 'create', 'company completes', 'company returns'],
  'by bank, repeated, returned': ['link', 'create', 'bank completes', 'bank repeats', 'bank returns'],
  'by bank, returned': ['link', 'create', 'bank completes', 'bank returns'],
  'by bank, returned, its link ended': [
    ...(['unlink', 'unlink second', 'create', 'link', 'bank completes'] as const),
    ...(['bank returns', 'unlink'] as const),
  ],
  'by bank, returned, paid again, returned': [
    ...(['link', 'create', 'bank completes', 'bank returns'] as const),
    ...(['bank completes', 'bank returns'] as const),
  ],
} as const satisfies Record<string, readonly Happening[]>;

export type UndoneState = keyof typeof recipes;
export const undoneStates = Object.keys(recipes) as UndoneState[];

/** Every party that may have completed it, and every operation whose response the state changes. */
export const undoneParties = ['owner', 'bank', 'second'] as const satisfies readonly Principal[];
export const undoneOperations = [
  'complete: plain',
  'complete: its amount',
  'complete: another amount',
  'complete: its reference',
  'complete: an earlier reference',
  'complete: another reference',
  'correct',
  'correct: another reason',
  'return: a part',
  'undo a return',
  'read',
  'list: completed',
] as const satisfies readonly Operation[];
export type UndoneOperation = (typeof undoneOperations)[number];

/** Creates a transaction in a state. */
export async function inUndone(play: Play, random: Random, state: UndoneState): Promise<Target> {
  const id = await bringAbout(play, random, recipes[state]);
  return play.belief().transactions.get(id)!;
}
