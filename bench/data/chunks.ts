import { type Rows, rowsOf } from './rows';
import type { Size } from './size';

/** A part of what is generated. */
export interface Chunk {
  what: string;
  /** How many rows it has, about. */
  rows: number;
  make: () => Rows[];
}

const rowsPerChunk = 50_000;

/** Everything that is made row by row, in parts; any order will do. */
export function chunksOf(size: Size, seed: number): Chunk[] {
  const split = (
    what: string,
    count: number,
    rowsEach: number,
    make: (from: number, to: number) => Rows[],
  ): Chunk[] => {
    const step = Math.ceil(rowsPerChunk / rowsEach);
    return Array.from({ length: Math.ceil(count / step) }, (_, place) => {
      const [from, to] = [place * step, Math.min(count, (place + 1) * step)];
      return { what, rows: (to - from) * rowsEach, make: () => make(from, to) };
    });
  };
  const { stories, users, supports } = rowsOf(size, seed);
  return [
    ...split('stories', size.stories, 1, stories),
    ...split('users', size.users, 1, users),
    // A support has two transactions with nearly two events each, and views.
    ...split('supports and their transactions', size.supports, 8, supports),
  ];
}
