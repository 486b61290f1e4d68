import {
  type EntryNature,
  type EntryProblem,
  idsOutcome,
  type Outcome,
} from '@contribution-service/bank-files';

import { mostCandidates } from '../../../shared/repaired-ids';

/** The most ids in the texts of a line. A line with more pays none of them. */
export const mostIdsOfLine = 20;

/** The ids and references in the texts of an entry, without the texts. */
export interface EntrySearch {
  /** Ids that are a whole text, exactly as issued. */
  exact: string[];
  /** Ids within a text, in another case, with separators or wrapped. */
  normalized: string[];
  /** Ids that result if one mistake is repaired. Empty if a text contains an undamaged id. */
  repaired: string[];
  hasWrongCheckCharacter: boolean;
  /** References that may name a settlement. */
  identifiers: string[];
  /** Absent if the bank's codes do not mark the entry. */
  nature?: EntryNature;
}

/** An `EntrySearch` as it is stored. It does not depend on what the uploader may see. */
export interface StoredSearch extends Omit<EntrySearch, 'hasWrongCheckCharacter'> {
  /** Ids that are found as whole words. */
  normalized: string[];
  /** Ids within longer words, of all environments. Omitted if there are none. */
  attached?: string[];
  /** Of all environments. */
  repaired: string[];
  /** The tags of words with a wrong check character. Omitted if there are none. */
  damaged?: string[];
}

/** The ids that count for a viewer: the viewer must not learn anything about other environments. */
export function visibleSearch(stored: StoredSearch, tags: ReadonlySet<string>): EntrySearch {
  const isVisible = (id: string): boolean => tags.has(id.slice(0, 4));
  const { attached = [], damaged = [], ...search } = stored;
  const normalized = [...attached.filter(isVisible), ...search.normalized];
  const repaired = search.repaired.filter(isVisible);
  const isFound = search.exact.length + normalized.length > 0;
  return {
    ...search,
    // One id more than the limit shows that there are too many.
    normalized: normalized.slice(0, mostIdsOfLine + 1 - search.exact.length),
    repaired: isFound || repaired.length > mostCandidates ? [] : repaired,
    hasWrongCheckCharacter: damaged.some((tag) => tags.has(tag)),
  };
}

/**
 * The outcome of a line by its file alone.
 *
 * @param tags of the environments whose contributions the viewer may see
 */
export function outcomeOf(
  { problem, search }: { problem: EntryProblem | null; search: StoredSearch },
  tags: ReadonlySet<string>,
): Outcome {
  const { exact, normalized, repaired, hasWrongCheckCharacter } = visibleSearch(search, tags);
  const isDamaged = hasWrongCheckCharacter || repaired.length > 0;
  return problem ?? idsOutcome(exact.length + normalized.length, isDamaged);
}

/** A contribution that the viewer may see. */
export interface KnownContribution {
  transactionId: string;
  environmentId: number;
  amountCents: bigint;
}

export type Confidence = 'exact' | 'normalized' | 'repaired' | 'settlement' | 'decision';

/** The part of an entry's money that belongs to one contribution. */
export interface Match extends KnownContribution {
  cents: bigint;
  confidence: Confidence;
  isConfirmed: boolean;
}

export type UnknownReason =
  | 'no_reference'
  | 'wrong_check_character'
  | 'not_found'
  | 'company_reset'
  | 'several_references'
  | 'possible_repeat'
  | 'settlement_differs'
  | 'bank_charge'
  | 'unlinked';

/** The viewer can see nothing that has an id or a reference of the entry. */
const nothingFound: ReadonlySet<UnknownReason> = new Set([
  'no_reference',
  'wrong_check_character',
  'not_found',
]);

export interface MatchResult {
  matches: Match[];
  /** Present if there is no match. */
  reason?: UnknownReason;
}

/** The contributions that the database has for the ids and references of entries. */
export interface Known {
  /** The tags of the environments whose contributions the viewer may see. */
  tags: ReadonlySet<string>;
  contributions: ReadonlyMap<string, KnownContribution>;
  /** By reference: the groups of contributions that one transfer with this reference may pay. */
  settlements: ReadonlyMap<string, readonly (readonly KnownContribution[])[]>;
  /** The recorded returns, as `returnKey` names them. */
  returns: ReadonlySet<string>;
  /** What the viewer saw until a company reset its test environment. */
  reset: ResetContributions;
}

/** The ids of contributions, and the references under which a bank completed or listed them. */
export interface ResetContributions {
  ids: ReadonlySet<string>;
  references: ReadonlySet<string>;
}

/** Identifies a recorded return of a contribution. */
export const returnKey = (transactionId: string, cents: bigint, reference: string): string =>
  `${transactionId} ${cents} ${reference}`;

const sumOf = (contributions: readonly KnownContribution[]): bigint =>
  contributions.reduce((sum, { amountCents }) => sum + amountCents, 0n);

const inFull = (
  contributions: readonly KnownContribution[],
  confidence: Confidence,
  isConfirmed: boolean,
): Match[] =>
  contributions.map((contribution) => ({
    ...contribution,
    cents: contribution.amountCents,
    confidence,
    isConfirmed,
  }));

function matchSettlement(cents: bigint, search: EntrySearch, known: Known): MatchResult | undefined {
  const groups = search.identifiers.flatMap((reference) => known.settlements.get(reference) ?? []);
  if (groups.length === 0) return undefined;
  const equal = groups.filter((group) => sumOf(group) === cents);
  const [group] = equal;
  // Several groups may have the sum of the entry. They must list the same contributions.
  const isOne = equal.every((other) => sameContributions(other, group ?? []));
  return group && isOne
    ? { matches: inFull(group, 'settlement', true) }
    : { matches: [], reason: 'settlement_differs' };
}

function sameContributions(one: readonly KnownContribution[], other: readonly KnownContribution[]): boolean {
  const ids = new Set(other.map(({ transactionId }) => transactionId));
  return one.length === ids.size && one.every(({ transactionId }) => ids.has(transactionId));
}

function matchRepaired(cents: bigint, search: EntrySearch, known: Known): MatchResult | undefined {
  const found = search.repaired.flatMap((id) => known.contributions.get(id) ?? []);
  const [only] = found;
  if (found.length !== 1 || only?.amountCents !== cents) return undefined;
  return { matches: inFull([only], 'repaired', false) };
}

/**
 * Finds the contributions that an entry pays. An amount or a date alone never matches. The result
 * depends only on the entry and on the known contributions, not on other entries.
 *
 * @param cents the amount, plus the charges that the bank deducted
 */
export function matchEntry(cents: bigint, search: EntrySearch, known: Known): MatchResult {
  const result = matchKnown(cents, search, known);
  // Other reasons concern what the viewer can see now.
  if (result.reason === undefined || !nothingFound.has(result.reason)) return result;
  const isOfReset =
    [...search.exact, ...search.normalized].some((id) => known.reset.ids.has(id)) ||
    search.identifiers.some((reference) => known.reset.references.has(reference));
  return isOfReset ? { matches: [], reason: 'company_reset' } : result;
}

function matchKnown(cents: bigint, search: EntrySearch, known: Known): MatchResult {
  const ids = [...new Set([...search.exact, ...search.normalized])];
  const found = ids.flatMap((id) => known.contributions.get(id) ?? []);
  const confidence: Confidence = found.every(({ transactionId }) => search.exact.includes(transactionId))
    ? 'exact'
    : 'normalized';
  const [first] = found;
  // Ids beyond the limit are not stored, so the sum of their contributions is unknown.
  if (first && ids.length > mostIdsOfLine) return { matches: [], reason: 'several_references' };
  // If another id is invisible to the viewer, the known contribution must be paid exactly in full.
  if (first && found.length === 1 && ids.length > 1 && first.amountCents !== cents) {
    return { matches: [], reason: 'several_references' };
  }
  if (first && found.length === 1) {
    const isConfirmed = confidence === 'exact' || first.amountCents === cents;
    return { matches: [{ ...first, cents, confidence, isConfirmed }] };
  }
  if (found.length > 1) {
    return sumOf(found) === cents
      ? { matches: inFull(found, confidence, true) }
      : { matches: [], reason: 'several_references' };
  }
  const other = matchSettlement(cents, search, known) ?? matchRepaired(cents, search, known);
  if (other) return other;
  if (ids.length > 0) return { matches: [], reason: 'not_found' };
  return { matches: [], reason: search.hasWrongCheckCharacter ? 'wrong_check_character' : 'no_reference' };
}

/**
 * Whether the match is surely a return. A charge can state the ids of the payment too. So a part of
 * the amount is a return only if the bank marks it, it was recorded under the same reference, or a
 * decision says so.
 */
export const isSureReturn = (
  { confidence, transactionId, cents, amountCents }: Match,
  { nature }: EntrySearch,
  { returnCode, reference }: { returnCode: string | null; reference: string | null },
  { returns }: Pick<Known, 'returns'>,
): boolean =>
  confidence === 'decision' ||
  cents === amountCents ||
  nature === 'return' ||
  returnCode !== null ||
  (reference !== null && returns.has(returnKey(transactionId, cents, reference)));

/**
 * Whether a payment takes back a debit of a part of the amount. Such a debit may count only after a
 * decision, so the payment does too.
 */
export const isReversalOfPart = (
  { confidence, cents, amountCents }: Match,
  { nature }: EntrySearch,
  returnCode: string | null,
): boolean =>
  confidence !== 'decision' && cents !== amountCents && (nature === 'return' || returnCode !== null);
