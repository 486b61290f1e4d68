import { groupBy } from '../../../shared/group-by';

/** The lines of one statement that have the same identity. */
export interface ClassCount {
  format: string;
  startsAtMs: number;
  endsAtMs: number;
  /** Whether its time can be compared with that of other statements. */
  isTimeKnown: boolean;
  /** Whether its totals are right and its entries are final. */
  isTrusted: boolean;
  count: number;
}

/** How many entries a class has. Each number is at least the one before. */
export interface EntryCounts {
  /** Trusted statements prove this many. */
  confirmed: number;
  /** All statements together state this many. */
  present: number;
  /** The others may be repeats, because two statements may or may not overlap. */
  suspected: number;
}

const largest = (counts: readonly ClassCount[]): number =>
  counts.reduce((most, { count }) => Math.max(most, count), 0);

/**
 * The most lines in statements that do not overlap each other. Disjoint statements add up. Only the
 * largest of overlapping statements counts. The order of the statements does not matter.
 */
export function mostDisjoint(counts: readonly ClassCount[]): number {
  const sorted = [...counts].sort((one, other) => one.endsAtMs - other.endsAtMs);
  /** best[n]: among the first n statements. */
  const best = [0];
  for (const [at, { startsAtMs, count }] of sorted.entries()) {
    // A file can have thousands of statements, so this searches the sorted ends by halves.
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

function countFormat(counts: readonly ClassCount[]): EntryCounts {
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
    suspected: Math.max(present, mostDisjoint(known(counts)) + ofUnknown),
  };
}

/**
 * Counts equal lines without a reference of the bank. Statements of one format that do not overlap
 * add up. Each format states the same payments again, so only the format with the most lines
 * counts.
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
