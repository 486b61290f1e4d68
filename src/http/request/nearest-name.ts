/** Longer names are not compared, which bounds the work for each name. */
const longest = 40;

/** The name without the differences that readers overlook: case, hyphens and underscores. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The Levenshtein distance: the least number of letters to change, add or remove. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let from = 1; from <= one.length; from += 1) {
    const next = [from];
    for (let to = 1; to <= other.length; to += 1) {
      const changed = (row[to - 1] ?? 0) + (one[from - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** The known name that was probably meant: at most a third of its letters differ. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > longest) return undefined;
  const [nearest] = known
    .map((name) => ({ name, letters: distance(plain(given), plain(name)) }))
    .filter(({ name, letters }) => letters <= name.length / 3)
    .sort((a, b) => a.letters - b.letters);
  return nearest?.name;
}
