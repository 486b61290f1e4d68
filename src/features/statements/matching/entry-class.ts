import { groupBy } from '../../../shared/group-by';
import { isIssuedAgain, isNumberedDay, latestEndOf } from './statement-time';

/** The lines of one statement that have the same identity. */
export interface ClassCount {
  format: string;
  startsAtMs: number;
  endsAtMs: number;
  /** Whether its time can be compared with the times of other statements. */
  isTimeKnown: boolean;
  /** Whether its totals are correct and its entries are final. */
  isTrusted: boolean;
  /** See `ClassSource`. */
  startBalance: string | null;
  count: number;
}

/** The number of entries of a class, by certainty. Each number includes the one before. */
export interface EntryCounts {
  /** The number that trusted statements prove. */
  confirmed: number;
  /** The number that all statements state together. */
  present: number;
  /** The number if all possible repeats were entries: two statements may or may not overlap. */
  suspected: number;
}

const largest = (counts: readonly ClassCount[]): number =>
  counts.reduce((most, { count }) => Math.max(most, count), 0);

type Counted = Pick<ClassCount, 'startsAtMs' | 'endsAtMs' | 'count'>;

/**
 * Adds up the numbered statements of each day, because they do not overlap each other. Any other
 * statement of the day overlaps all of them.
 */
function withNumberedDays(counts: readonly ClassCount[]): Counted[] {
  const ofDays = groupBy(counts.filter(isNumberedDay), (one) => String(latestEndOf(one)));
  const days = [...ofDays].map(([end, ofDay]): Counted => {
    const ofNumbers = [...groupBy(ofDay, ({ startsAtMs }) => String(startsAtMs)).values()];
    return {
      startsAtMs: ofDay.reduce((least, one) => Math.min(least, one.startsAtMs), Infinity),
      endsAtMs: Number(end),
      count: ofNumbers.reduce((sum, same) => sum + largest(same), 0),
    };
  });
  return [...counts.filter((one) => !isNumberedDay(one)), ...days];
}

/**
 * Chooses statements that do not overlap each other so that they have the most lines, and returns
 * this number of lines. The order of the statements does not matter.
 */
function mostDisjoint(counts: readonly ClassCount[]): number {
  const sorted = withNumberedDays(counts).sort((one, other) => one.endsAtMs - other.endsAtMs);
  /** best[n]: the result for the first n statements. */
  const best = [0];
  for (const [at, { startsAtMs, count }] of sorted.entries()) {
    // A binary search, because a file can have thousands of statements.
    let [before, after] = [0, at];
    while (before < after) {
      const middle = (before + after) >> 1;
      if ((sorted[middle]?.endsAtMs ?? 0) > startsAtMs) after = middle;
      else before = middle + 1;
    }
    best.push(Math.max(best[at] ?? 0, (best[before] ?? 0) + count));
  }
  return best.at(-1) ?? 0;
}

/**
 * Gives statements that may be one statement, issued again, the same time. A statement that does
 * not follow the previous number starts a new time.
 */
function asIssuedOnce(counts: readonly ClassCount[]): ClassCount[] {
  const issued = groupBy(counts, ({ startBalance }) => startBalance ?? '');
  return [...issued].flatMap(([balance, same]) => {
    if (balance === '') return same;
    const sorted = [...same].sort((one, other) => one.startsAtMs - other.startsAtMs);
    let previous: ClassCount | undefined;
    let startsAtMs = 0;
    return sorted.map((one) => {
      if (!previous || !isIssuedAgain(previous, one)) ({ startsAtMs } = one);
      previous = one;
      return { ...one, startsAtMs, endsAtMs: startsAtMs + 1 };
    });
  });
}

function countFormat(all: readonly ClassCount[]): EntryCounts {
  const counts = asIssuedOnce(all);
  const known = (given: readonly ClassCount[]): ClassCount[] =>
    given.filter(({ isTimeKnown }) => isTimeKnown);
  const unknown = counts.filter(({ isTimeKnown }) => !isTimeKnown);
  const least = (given: readonly ClassCount[]): number =>
    Math.max(mostDisjoint(known(given)), largest(given.filter(({ isTimeKnown }) => !isTimeKnown)));
  const present = least(counts);
  const ofUnknown = unknown.reduce((sum, { count }) => sum + count, 0);
  return {
    confirmed: least(counts.filter(({ isTrusted }) => isTrusted)),
    present,
    suspected: Math.max(present, mostDisjoint(known(all)) + ofUnknown),
  };
}

/**
 * Counts equal lines without the bank's reference. Statements of one format that do not overlap add
 * up. Other formats state the same payments again, so only the format with the most lines counts.
 */
export function countEntries(counts: readonly ClassCount[]): EntryCounts {
  const ofFormats = [...groupBy(counts, ({ format }) => format).values()].map(countFormat);
  const most = (of: (one: EntryCounts) => number): number => Math.max(0, ...ofFormats.map(of));
  return {
    confirmed: most(({ confirmed }) => confirmed),
    present: most(({ present }) => present),
    suspected: most(({ suspected }) => suspected),
  };
}
