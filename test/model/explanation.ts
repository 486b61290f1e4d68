import { isDeepStrictEqual } from 'node:util';

import type { Happening } from './actions';
import { possibilities } from './model';
import { fingerprint, type World } from './world';

/** The worlds that one happening, seen from any of these, may have left. */
function after(worlds: readonly World[], happening: Happening): World[] {
  return worlds.flatMap((world) =>
    possibilities(world, happening)
      .filter(({ answer }) => isDeepStrictEqual(answer, happening.answer))
      .map((possible) => possible.world),
  );
}

function distinct(worlds: readonly World[]): World[] {
  return worlds.length < 2
    ? [...worlds]
    : [...new Map(worlds.map((world) => [fingerprint(world), world])).values()];
}

/**
 * The worlds that may be left after some things happened at once: all that some order of them leads to, in which each
 * answer is the one that the model gives. None when no order explains what was answered.
 *
 * Instead of going through the orders one by one it goes through the sets of those that came first: what came last of
 * a set may be any of it.
 */
export function explain(worlds: readonly World[], happenings: readonly Happening[]): World[] {
  const last = (1 << happenings.length) - 1;
  const worldsAfter = new Map<number, World[]>([[0, [...worlds]]]);
  for (let set = 1; set <= last; set += 1) {
    const ends = happenings.flatMap((happening, index) =>
      set & (1 << index) ? after(worldsAfter.get(set ^ (1 << index))!, happening) : [],
    );
    worldsAfter.set(set, distinct(ends));
  }
  return worldsAfter.get(last)!;
}
