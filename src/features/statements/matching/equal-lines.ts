import type { EntryNature } from '@contribution-service/bank-files';

import { groupBy } from '../../../shared/group-by';
import type { ClassSource } from './class-source';
import { type ClassCount, countEntries, type EntryCounts } from './entry-class';
import { type EntrySearch, joinSearches, type Known, visibleSearch } from './match-entry';

export type Standing = 'confirmed' | 'proposed' | 'suspected';

export const standings: readonly Standing[] = ['confirmed', 'proposed', 'suspected'];

/** An entry with the lines that state it. */
export interface EntryLines {
  lines: readonly ClassSource[];
  search: EntrySearch;
  standing: Standing;
  returnCode: string | null;
  chargesCents: bigint;
}

/** Whether the totals are correct and the entries are final. */
export const isTrusted = ({
  isUnbalanced,
  isCovered,
  isDoubtful,
  isFinal,
  hasReference,
}: ClassSource): boolean => !isUnbalanced && !isCovered && !isDoubtful && (isFinal || hasReference);

/** The lines, grouped by statement. */
const linesOfStatements = (sources: readonly ClassSource[]): ClassSource[][] => [
  ...groupBy(sources, ({ fileId, statementNumber }) => `${fileId} ${statementNumber}`).values(),
];

/** The standings of the entries that the lines state. */
function standingsOf(sources: readonly ClassSource[]): Standing[] {
  const counts = linesOfStatements(sources).flatMap((lines): ClassCount[] => {
    const [first] = lines;
    if (!first) return [];
    const { format, startsAtMs, endsAtMs, isTimeKnown, startBalance } = first;
    const time = { startsAtMs, endsAtMs, isTimeKnown, startBalance };
    return [{ ...time, format, isTrusted: isTrusted(first), count: lines.length }];
  });
  const { confirmed, present, suspected }: EntryCounts = countEntries(counts);
  return Array.from({ length: suspected }, (_, at) =>
    at < confirmed ? 'confirmed' : at < present ? 'proposed' : 'suspected',
  );
}

/** Gives values to entries of the same standing first. An entry without a value gets ''. */
function spread(
  entries: readonly Standing[],
  values: readonly { value: string; standing: Standing }[],
): string[] {
  const given = entries.map(() => '');
  const free = groupBy([...entries.keys()].reverse(), (at) => entries[at] ?? '');
  const left = values.filter(({ value, standing }) => {
    const at = free.get(standing)?.pop();
    if (at !== undefined) given[at] = value;
    return at === undefined;
  });
  const rest = [...free.values()].flat().sort((one, other) => other - one);
  for (const { value } of left) {
    const at = rest.pop();
    if (at !== undefined) given[at] = value;
  }
  return given;
}

/**
 * Divides what only some of the lines state, such as a charge, among the entries. As many entries
 * get a value as the lines with this value state.
 *
 * @param valueOf returns '' for a line that states nothing
 */
function divided(
  entries: readonly Standing[],
  sources: readonly ClassSource[],
  valueOf: (source: ClassSource) => string,
  inOrder: (one: string, other: string) => number,
): string[] {
  const groups = [...groupBy(sources, valueOf)].filter(([value]) => value !== '');
  const values = groups
    .sort(([one], [other]) => inOrder(one, other))
    .flatMap(([value, lines]) => standingsOf(lines).map((standing) => ({ value, standing })));
  return spread(entries, values);
}

const alphabetical = (one: string, other: string): number => (one < other ? -1 : 1);
const largestFirst = (one: string, other: string): number => (BigInt(one) > BigInt(other) ? -1 : 1);

const natureOf = ({ search, returnCode }: ClassSource): EntryNature | '' =>
  search.nature ?? (returnCode === null ? '' : 'return');

/**
 * Counts the entries of lines without the bank's reference. The lines cannot be told apart, so
 * every entry gets all of them. But a charge, a return and the bank's charges belong to only as
 * many entries as have them.
 */
export function countedEntries(sources: readonly ClassSource[], { tags }: Known): EntryLines[] {
  const entries = standingsOf(sources);
  const search = joinSearches(sources.map((one) => visibleSearch(one.search, tags)));
  delete search.nature;
  const natures = divided(entries, sources, natureOf, alphabetical);
  const charges = divided(
    entries,
    sources,
    ({ chargesCents }) => (chargesCents > 0n ? String(chargesCents) : ''),
    largestFirst,
  );
  const codes = entries.map(() => '');
  for (const nature of ['charge', 'return'] as const) {
    const places = [...natures.keys()].filter((at) => natures[at] === nature);
    const lines = sources.filter((source) => natureOf(source) === nature);
    const ofNature = divided(
      places.map((at) => entries[at] ?? 'suspected'),
      lines,
      ({ returnCode }) => returnCode ?? '',
      alphabetical,
    );
    places.forEach((place, at) => (codes[place] = ofNature[at] ?? ''));
  }
  return entries.map((standing, at) => {
    const nature = natures[at];
    return {
      lines: sources,
      search: nature === 'charge' || nature === 'return' ? { ...search, nature } : search,
      standing,
      returnCode: codes[at] || null,
      chargesCents: BigInt(charges[at] || 0),
    };
  });
}
