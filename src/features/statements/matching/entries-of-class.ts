import { hash } from 'node:crypto';

import type { ClassSource, EntryDecision, EntryOutcome } from './class-source';
import { decidedLines, numberLines } from './decided-lines';
import { countedEntries, type EntryLines, isTrusted, type Standing, standings } from './equal-lines';
import { joinLines } from './join-lines';
import { isReversalOfPart, isSureReturn, judge, unknown } from './judge-entry';
import {
  joinSearches,
  type Known,
  type Match,
  settlementReferences,
  type UnknownReason,
  visibleSearch,
} from './match-entry';
import type { StatedMoney } from './source-entries';

/** An entry that was derived from all statements that have it. */
export interface ReconciledEntry extends StatedMoney {
  entryId: string;
  classKey: string;
  occurrence: number;
  accountId: string;
  standing: Standing;
  outcome: EntryOutcome;
  reason: UnknownReason | null;
  isDecided: boolean;
  allocations: (Match & { kind: 'payment' | 'return' })[];
  /** References that a later completion, return or settlement list may name. */
  waitsFor: readonly string[];
  /** A digest that distinguishes its line from others with the same bank reference. */
  lineKey: string;
}

/** The id of an entry. It is the same for all files that state the entry, in any order. */
export function entryIdOf(classKey: string, occurrence: number): string {
  const digest = hash('sha256', `${classKey} ${occurrence}`, 'hex');
  // A UUID of version 8 (RFC 9562, 5.8), whose content the application defines.
  const text = `${digest.slice(0, 12)}8${digest.slice(13, 16)}8${digest.slice(17, 32)}`;
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const keyOf = ({ search, chargesCents, returnCode }: ClassSource): string =>
  JSON.stringify([search, String(chargesCents), returnCode]);

const lineKeyOf = (source: ClassSource): string => hash('sha256', keyOf(source), 'hex').slice(0, 32);

/** Joins the lines that have the bank's reference into entries. */
function joinedEntries(sources: readonly ClassSource[], { tags }: Known): EntryLines[] {
  const lines = sources.map((source) => {
    const { bankReference } = source;
    const search = visibleSearch(source.search, tags);
    return {
      ...source,
      source,
      search,
      isTrusted: isTrusted(source),
      ids: [...search.exact, ...search.normalized],
      identifiers: search.identifiers.filter((identifier) => identifier !== bankReference),
      key: keyOf(source),
    };
  });
  const entries = joinLines(lines).map(({ lines: own, standing }): EntryLines => {
    const isChosen = own.some(({ use }) => use === 'certain');
    const isProven = standing === 'proven' && isChosen;
    return {
      lines: own.map(({ source }) => source),
      search: joinSearches(own.map(({ search }) => search)),
      returnCode: own.find(({ returnCode }) => returnCode !== null)?.returnCode ?? null,
      // Other statements of the same entry may omit the charges.
      chargesCents: own.reduce((most, { chargesCents }) => (chargesCents > most ? chargesCents : most), 0n),
      standing:
        isProven && own.some((line) => line.isTrusted)
          ? 'confirmed'
          : isProven || (standing === 'different' && isChosen)
            ? 'proposed'
            : 'suspected',
    };
  });
  return entries.sort((one, other) => standings.indexOf(one.standing) - standings.indexOf(other.standing));
}

/** Whether a decision concerns a possible repeat. */
const isAbout = (decision: EntryDecision | undefined): boolean =>
  decision !== undefined && decision.action !== 'unlink';

export interface EntryDecisions {
  last: EntryDecision | undefined;
  isDecided: boolean;
  /** The line of the newest decision. */
  lineKey: string | undefined;
}

/** The context of a class of lines. */
export interface ClassFacts {
  known: Known;
  /**
   * By entry_id: the last decision on the entry's allocations, and whether its newest decision
   * closes it.
   */
  decisions: ReadonlyMap<string, EntryDecisions>;
}

/**
 * The entry numbers. Equal lines without the bank's reference cannot be distinguished, so they are
 * numbered in order.
 */
function numbersOf(
  classKey: string,
  entries: readonly EntryLines[],
  decisions: ClassFacts['decisions'],
): number[] {
  const hasReference = entries[0]?.lines[0]?.hasReference ?? false;
  const lineKeys = new Map([...decisions].map(([entryId, { lineKey }]) => [entryId, lineKey]));
  if (!hasReference || lineKeys.size === 0) return entries.map((_, at) => at + 1);
  const decided = decidedLines(lineKeys, (occurrence) => entryIdOf(classKey, occurrence));
  const keys = entries.map(({ lines }) => new Set(lines.map(lineKeyOf)));
  return numberLines(keys, decided, entries.length === 1);
}

/** The entries of a class. They depend only on the set of lines, not on their order. */
export function entriesOfClass(
  classKey: string,
  all: readonly ClassSource[],
  { known, decisions }: ClassFacts,
): ReconciledEntry[] {
  const sources = all.filter(({ use }) => use !== 'none');
  const [first] = sources;
  if (!first) return [];
  const entries = first.hasReference ? joinedEntries(sources, known) : countedEntries(sources, known);
  const numbers = numbersOf(classKey, entries, decisions);
  return entries.map(({ lines, search, standing, returnCode, chargesCents }, at): ReconciledEntry => {
    const occurrence = numbers[at] ?? at + 1;
    const entryId = entryIdOf(classKey, occurrence);
    const source = lines.find(({ isFinal }) => isFinal) ?? lines[0] ?? first;
    const { last, isDecided = false } = decisions.get(entryId) ?? {};
    const { outcome, reason, matches } =
      standing === 'suspected' && !isAbout(last)
        ? unknown('possible_repeat')
        : judge({ ...source, chargesCents }, search, known, last);
    const kind: 'payment' | 'return' = source.direction === source.accountDirection ? 'payment' : 'return';
    // If a preferred format covers the days of a line, only the entry of that format counts as
    // money.
    const isCovered = lines.every((one) => one.isCovered);
    const reference = source.hasReference ? source.bankReference : null;
    const allocations = matches.map((match) => ({
      ...match,
      kind,
      isConfirmed:
        match.isConfirmed &&
        (kind === 'payment'
          ? !isReversalOfPart(match, search, returnCode)
          : isSureReturn(match, search, { returnCode, reference }, known)) &&
        (standing === 'confirmed' || (match.confidence === 'decision' && !isCovered)),
    }));
    const isProposed = outcome === 'matched' && allocations.some(({ isConfirmed }) => !isConfirmed);
    const matched = kind === 'return' ? 'returned' : 'matched';
    return {
      entryId,
      classKey,
      occurrence,
      accountId: source.accountId,
      standing,
      direction: source.direction,
      amountCents: source.amountCents,
      chargesCents,
      currency: source.currency,
      bookingDate:
        source.bookingDate ?? lines.find(({ bookingDate }) => bookingDate !== null)?.bookingDate ?? null,
      bankReference: source.bankReference,
      returnCode,
      outcome: isProposed ? 'proposed' : outcome === 'matched' ? matched : outcome,
      reason,
      isDecided,
      allocations,
      waitsFor: [
        ...(source.problem === null ? settlementReferences(search, known) : []),
        // The return may be recorded later.
        ...(kind === 'return' && isProposed && reference !== null ? [reference] : []),
      ],
      lineKey: lineKeyOf(source),
    };
  });
}
