/** The maximum number of equal lines in a class, from all files together. */
const mostOccurrences = 100_000;

/**
 * The line of each decision of a class, by the number of its entry. Undefined for decisions of
 * earlier versions, which stored only the number.
 *
 * @param lineKeys by entry_id
 */
export function decidedLines(
  lineKeys: ReadonlyMap<string, string | undefined>,
  entryIdOf: (occurrence: number) => string,
): Map<number, string | undefined> {
  const found = new Map<number, string | undefined>();
  for (let at = 1; found.size < lineKeys.size && at <= mostOccurrences; at += 1) {
    const entryId = entryIdOf(at);
    if (lineKeys.has(entryId)) found.set(at, lineKeys.get(entryId));
  }
  return found;
}

/**
 * The entry number of each line. A line with a decision keeps its number, whatever other files
 * state. The other lines get the remaining numbers in order, and skip those of decisions on other
 * lines. If `isOnlyLine`, nothing is skipped, because there is no other line.
 *
 * @param keysOf the keys under which a decision on each line may be stored
 */
export function numberLines(
  keysOf: readonly ReadonlySet<string>[],
  decided: ReadonlyMap<number, string | undefined>,
  isOnlyLine: boolean,
): number[] {
  if (decided.size === 0) return keysOf.map((_, at) => at + 1);
  const left = new Map(decided);
  const kept = keysOf.map((keys) => {
    const [number] = [...left].find(([, key]) => key !== undefined && keys.has(key)) ?? [];
    if (number !== undefined) left.delete(number);
    return number;
  });
  const used = new Set(kept);
  if (!isOnlyLine) for (const [number, key] of left) if (key !== undefined) used.add(number);
  let next = 1;
  return kept.map((number) => {
    if (number !== undefined) return number;
    while (used.has(next)) next += 1;
    used.add(next);
    return next;
  });
}
