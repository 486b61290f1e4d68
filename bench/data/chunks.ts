import { type Rows, rowsOf } from './rows';
import type { Size } from './size';

/** A range of rows to generate. */
export interface Chunk {
  what: string;
  /** Approximate number of rows. */
  rows: number;
  make: () => Rows[];
}

const rowsPerChunk = 50_000;

/** All rows, in chunks that can be generated in any order. */
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
    // About 8 rows: a support, its two transactions, nearly two events for each of them, and a row
    // of story views.
    ...split('supports and their transactions', size.supports, 8, supports),
  ];
}
