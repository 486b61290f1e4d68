/** The lines of one statement that have the same identity. */
export interface ClassCount {
  fileId: string;
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
 * The most lines in statements that do not overlap each other. Disjoint statements add up, and of
 * overlapping ones the largest counts. The order of the statements does not matter.
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

/**
 * @param hasReference the bank's own reference identifies the entry, so it is the same entry in
 *   every statement
 */
export function countEntries(hasReference: boolean, counts: readonly ClassCount[]): EntryCounts {
  const trusted = counts.filter(({ isTrusted }) => isTrusted);
  if (hasReference) {
    const present = largest(counts);
    return { confirmed: largest(trusted), present, suspected: present };
  }
  const known = (given: readonly ClassCount[]): ClassCount[] =>
    given.filter(({ isTimeKnown }) => isTimeKnown);
  const unknown = counts.filter(({ isTimeKnown }) => !isTimeKnown);
  const least = (given: readonly ClassCount[]): number =>
    Math.max(mostDisjoint(known(given)), largest(given.filter(({ isTimeKnown }) => !isTimeKnown)));
  const present = least(counts);
  const ofUnknown = unknown.reduce((sum, { count }) => sum + count, 0);
  return {
    confirmed: least(trusted),
    present,
    suspected: Math.max(present, mostDisjoint(known(counts)) + ofUnknown),
  };
}
