import { lineKey } from '../rules/counting/decisions';
import type { StatementLine } from '../rules/reading/statement';

/** A line with its number among the equal lines of its statement and day, from 1. */
export type NumberedLine = StatementLine & { occurrence: number };

/** Numbers the lines of one statement, in the order in which they are read. */
export function createNumbering(): (line: StatementLine) => NumberedLine {
  const counts = new Map<string, number>();
  return (line) => {
    const key = lineKey(line, 0);
    const occurrence = (counts.get(key) ?? 0) + 1;
    counts.set(key, occurrence);
    return { ...line, occurrence };
  };
}
