/** The same in the order of a round: it begins with another one in each. */
export function inOrderOf<T>(round: number, all: readonly T[]): T[] {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}
