import { hash } from 'node:crypto';

import { groupBy } from '../../../shared/group-by';
import { decidedLines, numberLines } from './decided-lines';
import { type ClassCount, countEntries } from './entry-class';
import {
  type EntrySearch,
  joinSearches,
  type Known,
  type Match,
  matchEntry,
  settlementReferences,
  type UnknownReason,
} from './match-entry';
import type { EntryProblem, StatedMoney } from './source-entries';

/** A stored line of a file that was not voided, with what matters of its statement. */
export interface ClassSource extends StatedMoney {
  fileId: string;
  statementNumber: number;
  startsAtMs: number;
  endsAtMs: number;
  isTimeKnown: boolean;
  isFinal: boolean;
  isUnbalanced: boolean;
  accountId: string;
  accountDirection: 'credit' | 'debit';
  occurrence: number;
  hasReference: boolean;
  problem: EntryProblem | null;
  search: EntrySearch;
}

/** What somebody decided about an entry. The last one counts. */
export interface EntryDecision {
  action: 'link' | 'split' | 'unlink' | 'ignore' | 'accept_difference' | 'complete';
  allocations: readonly { transactionId: string; cents: bigint }[];
}

export type EntryOutcome = EntryProblem | 'matched' | 'proposed' | 'returned' | 'unknown' | 'ignored';

/** An entry, derived from all statements that have it. */
export interface ReconciledEntry extends StatedMoney {
  entryId: string;
  classKey: string;
  occurrence: number;
  accountId: string;
  standing: 'confirmed' | 'proposed' | 'suspected';
  outcome: EntryOutcome;
  reason: UnknownReason | null;
  isDecided: boolean;
  allocations: (Match & { kind: 'payment' | 'return' })[];
  /** References that a later completion or list may name. */
  waitsFor: readonly string[];
  /** Digest of what tells its line from others with the same bank reference. */
  lineKey: string;
}

/** The same entry has the same id, whichever files state it and in any order. */
export function entryIdOf(classKey: string, occurrence: number): string {
  const digest = hash('sha256', `${classKey} ${occurrence}`, 'hex');
  // A UUID of version 8 (RFC 9562, 5.8), whose content the application defines.
  const text = `${digest.slice(0, 12)}8${digest.slice(13, 16)}8${digest.slice(17, 32)}`;
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The lines of each statement that has some of the class. */
const linesOfStatements = (sources: readonly ClassSource[]): ClassSource[][] => [
  ...groupBy(sources, ({ fileId, statementNumber }) => `${fileId} ${statementNumber}`).values(),
];

/** Whether its totals are right and its entries are final. */
const isTrusted = ({ isUnbalanced, isFinal, hasReference }: ClassSource): boolean =>
  !isUnbalanced && (isFinal || hasReference);

const countsOf = (statements: readonly ClassSource[][]): ClassCount[] =>
  statements.flatMap((lines) => {
    const [first] = lines;
    if (!first) return [];
    const { fileId, startsAtMs, endsAtMs, isTimeKnown } = first;
    return [{ fileId, startsAtMs, endsAtMs, isTimeKnown, isTrusted: isTrusted(first), count: lines.length }];
  });

const keyOf = ({ search, chargesCents, returnCode }: ClassSource): string =>
  JSON.stringify([search, String(chargesCents), returnCode]);

const lineKeyOf = (source: ClassSource): string => hash('sha256', keyOf(source), 'hex').slice(0, 32);

/** The statement with the most lines. The order of the statements does not matter. */
function fullest(statements: readonly ClassSource[][]): ClassSource[] {
  const ranked = statements.map((lines) => ({ lines, key: lines.map(keyOf).sort().join() }));
  const [most] = ranked.sort(
    (one, other) =>
      other.lines.length - one.lines.length ||
      Number(other.lines[0]?.isFinal) - Number(one.lines[0]?.isFinal) ||
      (one.key < other.key ? -1 : 1),
  );
  return [...(most?.lines ?? [])].sort((one, other) => one.occurrence - other.occurrence);
}

const isOneLine = (statements: readonly ClassSource[][]): boolean =>
  statements.every(({ length }) => length === 1);

/**
 * The lines that state each entry. Lines without a reference have equal texts, so all of them count
 * for each entry. Some banks give the same reference to several payments. Their lines may have a
 * different order in each statement, so they cannot be joined. The entries are then the lines of
 * the fullest trusted statement, and further lines of the fullest other statement.
 */
function linesOfEntries(sources: readonly ClassSource[], statements: readonly ClassSource[][]) {
  if (isOneLine(statements) || !sources[0]?.hasReference) {
    const all = { lines: sources, search: joinSearches(sources.map(({ search }) => search)) };
    return () => all;
  }
  const trusted = fullest(statements.filter(([first]) => first && isTrusted(first)));
  const known = new Map([...groupBy(trusted, keyOf)].map(([key, { length }]) => [key, length]));
  const others = fullest(statements.filter(([first]) => first && !isTrusted(first))).filter((line) => {
    const left = known.get(keyOf(line)) ?? 0;
    known.set(keyOf(line), left - 1);
    return left <= 0;
  });
  const entries = [...trusted, ...others].map((line) => ({ lines: [line], search: line.search }));
  return (at: number) => entries[at];
}

interface Judged {
  outcome: EntryOutcome;
  reason: UnknownReason | null;
  matches: Match[];
}

const unknown = (reason: UnknownReason): Judged => ({ outcome: 'unknown', reason, matches: [] });

/** Applies the last decision about the allocations, if there is one. */
function decided(decision: EntryDecision | undefined, cents: bigint, known: Known): Judged | undefined {
  if (decision?.action === 'ignore') return { outcome: 'ignored', reason: null, matches: [] };
  if (decision?.action === 'unlink') return unknown('unlinked');
  if (decision?.action !== 'link' && decision?.action !== 'split') return undefined;
  const matches = decision.allocations.flatMap(({ transactionId, cents: part }): Match[] => {
    const contribution = known.contributions.get(transactionId);
    return contribution ? [{ ...contribution, cents: part, confidence: 'decision', isConfirmed: true }] : [];
  });
  const isWhole = matches.reduce((sum, match) => sum + match.cents, 0n) === cents;
  return isWhole ? { outcome: 'matched', reason: null, matches } : unknown('not_found');
}

function judge(
  source: ClassSource,
  search: EntrySearch,
  known: Known,
  decision: EntryDecision | undefined,
): Judged {
  if (source.problem !== null || source.amountCents === null) {
    const isIgnored = decision?.action === 'ignore';
    return { outcome: isIgnored ? 'ignored' : (source.problem ?? 'unreadable'), reason: null, matches: [] };
  }
  // Charges lower a payment, not a return.
  const isPayment = source.direction === source.accountDirection;
  const cents = source.amountCents + (isPayment ? source.chargesCents : 0n);
  if (cents === 0n) return unknown('no_reference');
  const { matches, reason } = matchEntry(cents, search, known);
  return (
    decided(decision, cents, known) ??
    (reason === undefined ? { outcome: 'matched', reason: null, matches } : unknown(reason))
  );
}

/** A decision that says what a possible repeat is. */
const isAbout = (decision: EntryDecision | undefined): boolean =>
  decision !== undefined && decision.action !== 'unlink';

export interface EntryDecisions {
  last: EntryDecision | undefined;
  isDecided: boolean;
  /** The line that the newest decision is about. */
  lineKey: string | undefined;
}

/** What a class of lines needs besides its sources. */
export interface ClassFacts {
  known: Known;
  /** By entry_id: the last decision about its allocations, and whether the newest closes it. */
  decisions: ReadonlyMap<string, EntryDecisions>;
  /** Parts of this entry exist, which replace it. */
  hasParts: boolean;
}

/** Equal lines without the bank's reference cannot be distinguished, so they are counted. */
function numbersOf(
  classKey: string,
  entries: readonly { lines: readonly ClassSource[] }[],
  decisions: ClassFacts['decisions'],
  isOnlyLine: boolean,
): number[] {
  const hasReference = entries[0]?.lines[0]?.hasReference ?? false;
  const lineKeys = new Map([...decisions].map(([entryId, { lineKey }]) => [entryId, lineKey]));
  if (!hasReference || lineKeys.size === 0) return entries.map((_, at) => at + 1);
  const decided = decidedLines(lineKeys, (occurrence) => entryIdOf(classKey, occurrence));
  const keys = entries.map(({ lines }) => new Set(lines.map(lineKeyOf)));
  return numberLines(keys, decided, isOnlyLine);
}

/** The entries of a class. They depend on the set of its sources only, not on their order. */
export function entriesOfClass(
  classKey: string,
  sources: readonly ClassSource[],
  { known, decisions, hasParts }: ClassFacts,
): ReconciledEntry[] {
  const [first] = sources;
  if (!first || hasParts) return [];
  const statements = linesOfStatements(sources);
  const { confirmed, present, suspected } = countEntries(first.hasReference, countsOf(statements));
  const linesOf = linesOfEntries(sources, statements);
  // The default is for the compiler: there are at least as many lines as entries.
  const lines = Array.from(
    { length: suspected },
    (_, at) => linesOf(at) ?? { lines: [first], search: first.search },
  );
  const numbers = numbersOf(classKey, lines, decisions, isOneLine(statements));
  return lines.map(({ lines: own, search }, at): ReconciledEntry => {
    const occurrence = numbers[at] ?? at + 1;
    const entryId = entryIdOf(classKey, occurrence);
    const source = own.find(({ isFinal }) => isFinal) ?? own[0] ?? first;
    const standing = at < confirmed ? 'confirmed' : at < present ? 'proposed' : 'suspected';
    const { last, isDecided = false } = decisions.get(entryId) ?? {};
    const { outcome, reason, matches } =
      standing === 'suspected' && !isAbout(last)
        ? unknown('possible_repeat')
        : judge(source, search, known, last);
    const kind: 'payment' | 'return' = source.direction === source.accountDirection ? 'payment' : 'return';
    const allocations = matches.map((match) => ({
      ...match,
      kind,
      isConfirmed: match.isConfirmed && (standing === 'confirmed' || match.confidence === 'decision'),
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
      chargesCents: source.chargesCents,
      currency: source.currency,
      bookingDate: source.bookingDate,
      bankReference: source.bankReference,
      returnCode: own.find(({ returnCode }) => returnCode !== null)?.returnCode ?? null,
      outcome: isProposed ? 'proposed' : outcome === 'matched' ? matched : outcome,
      reason,
      isDecided,
      allocations,
      waitsFor: source.problem === null ? settlementReferences(search, known) : [],
      lineKey: lineKeyOf(source),
    };
  });
}
