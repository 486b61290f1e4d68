import { signedCents } from '@contribution-service/bank-files';

import { type ComparedLine, isMoney } from '../reading/statement';

type KeysOf = (line: ComparedLine) => Iterable<string>;

/** Pairs lines with equal keys, each once. Returns the lines of both sides that are left. */
function pairLines(ones: ComparedLine[], others: ComparedLine[], keysOfOne: KeysOf, keysOfOther: KeysOf) {
  const pools = new Map<string, ComparedLine[]>();
  const used = new Set<ComparedLine>();
  for (const line of others) {
    for (const key of keysOfOther(line)) {
      const pool = pools.get(key);
      if (pool) pool.push(line);
      else pools.set(key, [line]);
    }
  }
  const isTaken = (key: string): boolean => {
    const pool = pools.get(key) ?? [];
    let line = pool.pop();
    while (line && used.has(line)) line = pool.pop();
    if (line) used.add(line);
    return line !== undefined;
  };
  const left = ones.filter((line) => ![...keysOfOne(line)].some(isTaken));
  return { left, others: others.filter((line) => !used.has(line)) };
}

const any = '*';
const keyOf = ({ direction, cents }: ComparedLine, ids: string, reference: string | null): string =>
  `${signedCents(direction, cents)}|${ids}|${reference ?? ''}`;
const ownKey: KeysOf = (line) => [keyOf(line, line.ids, line.reference)];
/** The keys under which `similarKeys` finds a line. */
const poolKeys: KeysOf = (line) =>
  new Set(
    [line.ids, any].flatMap((ids) => [line.reference, any].map((reference) => keyOf(line, ids, reference))),
  );
/** An absent id or reference equals any. */
const similarKeys: KeysOf = (line) => {
  const references = line.reference === null ? [any] : [line.reference, null];
  return (line.ids === '' ? [any] : [line.ids, '']).flatMap((ids) =>
    references.map((reference) => keyOf(line, ids, reference)),
  );
};

/** The order in which lines are loaded must not matter. */
const sorted = (lines: readonly ComparedLine[]): ComparedLine[] =>
  lines
    .filter(isMoney)
    .sort((one, other) =>
      one.content === other.content ? one.number - other.number : one.content < other.content ? -1 : 1,
    );

/**
 * The lines of the first version that the second does not have. Lines are equal if direction and
 * cents are equal, and ids and references are equal or absent on one side.
 */
export function linesWithout(
  first: readonly ComparedLine[],
  second: readonly ComparedLine[],
): ComparedLine[] {
  const { left, others } = pairLines(sorted(first), sorted(second), ownKey, ownKey);
  return left.length === 0 ? [] : pairLines(left, others, similarKeys, poolKeys).left;
}

/** The number of equal lines of both that have the same reference, or the same ids. */
function countShared(
  first: readonly ComparedLine[],
  second: readonly ComparedLine[],
  name: 'reference' | 'ids',
): number {
  const nameOf = (line: ComparedLine): string => `${signedCents(line.direction, line.cents)} ${line[name]}`;
  const named = second.filter((line) => line[name]);
  const names = new Set(named.map(nameOf));
  const candidates = first.filter((line) => line[name] && names.has(nameOf(line)));
  return candidates.length - linesWithout(candidates, named).length;
}

/**
 * Whether booked lines of two statements look like a repetition: a line with the same ids, or half
 * of the lines of one with the same references. Banks give all charges of a kind one reference.
 */
export function sharesLines(first: readonly ComparedLine[], second: readonly ComparedLine[]): boolean {
  if (countShared(first, second, 'ids') > 0) return true;
  const shared = countShared(first, second, 'reference');
  return shared > 0 && 2 * shared >= Math.min(first.length, second.length);
}

/** The numbers of lines that only one of two versions has: a change is announced. */
export const changeBetween = (before: readonly ComparedLine[], now: readonly ComparedLine[]) => ({
  gone: linesWithout(before, now).length,
  added: linesWithout(now, before).length,
});
