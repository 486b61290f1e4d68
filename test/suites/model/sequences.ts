import fc from 'fast-check';

import { createRandom } from '../faults/random';
import { type Cell, possibleCells } from './cells';
import { raceKinds } from './races/index';
import type { Step } from './steps';

/** The number of cells that each sequence visits on purpose. */
const visitsPerSequence = 3;

/** A 32-bit number that depends only on two others. */
export function mix(seed: number, number: number): number {
  return Math.floor(createRandom(Math.imul(seed, 0x9e3779b1) ^ number).next() * 2 ** 31);
}

/**
 * The cells that a sequence visits on purpose: all cells are shuffled and dealt out repeatedly. So
 * a known number of sequences visits every cell, and the seed determines which sequence visits
 * which.
 */
function cellsToVisit(seed: number, sequence: number): Cell[] {
  const first = sequence * visitsPerSequence;
  return Array.from({ length: visitsPerSequence }, (_none, offset) => {
    const round = Math.floor((first + offset) / possibleCells.length);
    return shuffledCells(mix(seed, round))[(first + offset) % possibleCells.length]!;
  });
}

const shuffles = new Map<number, readonly Cell[]>();
function shuffledCells(seed: number): readonly Cell[] {
  const shuffled = shuffles.get(seed) ?? createRandom(seed).shuffle(possibleCells);
  shuffles.set(seed, shuffled);
  return shuffled;
}

/** A step that fast-check may remove while it shrinks a failed sequence. */
const unlessShrunk = (step: fc.Arbitrary<Step>) => fc.option(step, { freq: 1_000_000_000, nil: undefined });

const draw = fc.noShrink(fc.nat({ max: 2 ** 31 - 1 }));

/** Sequences with planned visits, a race and random steps, in any order. */
export function sequenceArbitrary(seed: number, sequence: number): fc.Arbitrary<Step[]> {
  const visits = cellsToVisit(seed, sequence).map((visit) => fc.record({ visit: fc.constant(visit), draw }));
  const anything = fc.record({ anything: fc.constant(true as const), draw });
  const firstRace = fc.record({ race: fc.constant(raceKinds[sequence % raceKinds.length]!), draw });
  const anyRace = fc.record({ race: fc.constantFrom(...raceKinds), draw });
  const others = fc.array(fc.oneof({ weight: 5, arbitrary: anything }, { weight: 1, arbitrary: anyRace }), {
    minLength: 0,
    maxLength: 4,
    size: 'max',
  });
  return fc
    .tuple(fc.tuple(...[...visits, firstRace].map(unlessShrunk)), others, draw)
    .map(([planned, unplanned, order]) =>
      createRandom(order).shuffle([...planned.filter((step) => step !== undefined), ...unplanned]),
    );
}
