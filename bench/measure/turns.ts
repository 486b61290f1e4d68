/** Rotates the order: each round begins with another program. */
export function inOrderOf<T>(round: number, all: readonly T[]): T[] {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}
