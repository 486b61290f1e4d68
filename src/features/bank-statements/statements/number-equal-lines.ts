import { hash } from 'node:crypto';

import { bucketKey } from '../rules/counting/near-lines';
import type { StatementLine } from '../rules/reading/statement';

/** A line with its number among the equal lines of its statement and day, from 1. */
export type NumberedLine = StatementLine & { occurrence: number };

/**
 * Numbers the lines of one statement, in the order in which they are read. Keeps 48 bits of each
 * key, because a statement can have 100,000 lines. Two lines with equal bits are numbered together,
 * which only puts one of them into another bucket.
 */
export function createNumbering(): (line: StatementLine) => NumberedLine {
  const counts = new Map<number, number>();
  return (line) => {
    const key = hash('sha256', bucketKey(line), 'buffer').readUIntBE(0, 6);
    const occurrence = (counts.get(key) ?? 0) + 1;
    counts.set(key, occurrence);
    return { ...line, occurrence };
  };
}
