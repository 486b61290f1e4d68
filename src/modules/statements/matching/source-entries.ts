import { hash } from 'node:crypto';

import { groupBy } from '../../../shared/group-by';
import { findTransactionIds } from '../files/find-transaction-ids';
import {
  cut,
  type EntryPart,
  fileLimits,
  signedCents,
  type Statement,
  type StatementEntry,
  type StatementFile,
  StatementFileRefused,
} from '../files/statement-file';
import { repairedIds } from './damaged-ids';
import type { EntrySearch } from './match-entry';

export type EntryProblem = 'unreadable' | 'other_currency' | 'not_booked' | 'sums_differ';

/** What an entry says about its money. */
export interface StatedMoney {
  direction: EntryPart['direction'];
  /** Null if it cannot be read. */
  amountCents: bigint | null;
  chargesCents: bigint;
  currency: string;
  bookingDate: string | null;
  bankReference: string | null;
  returnCode: string | null;
}

/** A line of a file, in the form that is stored: without names, free texts and account numbers. */
export interface SourceEntry extends StatedMoney {
  /** The number of its statement in the file, from 1. */
  statementNumber: number;
  line: number;
  /** Identifies equal lines within an account, in hexadecimal digits. */
  digest: string;
  /** The number among the equal lines of its statement, from 1. */
  occurrence: number;
  /** The digest of the batch entry that this is a part of. */
  parentDigest: string | null;
  /** Whether the bank's reference identifies it. */
  hasReference: boolean;
  problem: EntryProblem | null;
  search: EntrySearch;
}

export interface SearchContext {
  /** The tags of the environments whose contributions the uploader may see. */
  tags: ReadonlySet<string>;
  now: Date;
}

const longestReference = 140;
const mostIdentifiers = 20;

const digestOf = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'hex');
const normalized = (texts: readonly string[]): string =>
  texts.map((text) => text.toUpperCase().replace(/\s+/g, ' ').trim()).join('\n');

/** A reference such as 0000000 identifies nothing. */
const identifies = (reference: string | null): reference is string =>
  reference !== null && reference.length >= 4 && !/^(.)\1*$/.test(reference);

function searchOf(part: EntryPart, { tags, now }: SearchContext): EntrySearch {
  const anywhere = findTransactionIds(part.references, { now, tags });
  // Ids of other companies are found as whole words only, like ids that were never issued.
  const words = findTransactionIds(part.references, { now });
  const ids = [...new Set([...anywhere.transactionIds, ...words.transactionIds])];
  const texts = new Set(part.references);
  return {
    exact: ids.filter((id) => texts.has(id)),
    normalized: ids.filter((id) => !texts.has(id)),
    repaired: ids.length === 0 ? repairedIds(part.references, tags, now) : [],
    hasWrongCheckCharacter: words.hasWrongCheckCharacter,
    identifiers: [...new Set(part.identifiers)]
      .filter((identifier) => identifier.length <= fileLimits.identifierLength)
      .slice(0, mostIdentifiers),
  };
}

/** Parts replace their entry only if each has an amount and they add up to it. */
function sumToEntry({ parts, direction, amountCents, currency }: StatementEntry): boolean {
  if (parts.some((part) => part.amountCents === null || part.currency !== currency)) return false;
  const sum = parts.reduce((total, part) => total + signedCents(part.direction, part.amountCents ?? 0n), 0n);
  return sum === signedCents(direction, amountCents);
}

function problemOf(entry: StatementEntry): EntryProblem | null {
  if (entry.unreadable !== null) return 'unreadable';
  if (entry.currency !== 'USD') return 'other_currency';
  if (!entry.isBooked) return 'not_booked';
  return entry.parts.length > 0 && !sumToEntry(entry) ? 'sums_differ' : null;
}

/** A line before its occurrence is known, with the text that orders equal lines. */
type Draft = Omit<SourceEntry, 'occurrence'> & { text: string };

/** The draft of an entry, or of a part of it. Both have the date and the reference of the entry. */
function draft(
  part: EntryPart,
  entry: StatementEntry,
  { statement, number, context }: { statement: Statement; number: number; context: SearchContext },
  problem: EntryProblem | null,
  parentDigest: string | null,
): Draft {
  const text = normalized(part.references);
  const reference = identifies(entry.bankReference) ? entry.bankReference : null;
  const isUnreadable = problem === 'unreadable';
  const amountCents = isUnreadable ? null : part.amountCents;
  const own = parentDigest === null ? null : [parentDigest, normalized(part.identifiers) || text];
  const identity = [part.direction, String(amountCents), part.currency, entry.bookingDate, problem, own];
  const digest =
    reference === null || isUnreadable
      ? digestOf([...identity, statement.kind, text])
      : digestOf([...identity, 'reference', reference]);
  return {
    statementNumber: number,
    line: part.line,
    digest,
    parentDigest,
    hasReference: reference !== null && !isUnreadable,
    direction: part.direction,
    amountCents,
    chargesCents: part.chargesCents,
    currency: cut(part.currency, 3),
    bookingDate: entry.bookingDate,
    bankReference: entry.bankReference === null ? null : cut(entry.bankReference, longestReference),
    problem,
    returnCode: part.returnCode === null ? null : cut(part.returnCode, 35),
    search: searchOf(part, context),
    text,
  };
}

function draftsOf(
  entry: StatementEntry,
  place: { statement: Statement; number: number; context: SearchContext },
): Draft[] {
  const problem = problemOf(entry);
  const whole = draft(entry, entry, place, problem, null);
  if (problem !== null || entry.parts.length === 0) return [whole];
  return entry.parts.map((part) => draft(part, entry, place, null, whole.digest));
}

/** Numbers equal lines in the order of their texts. The order of the file does not matter. */
function numbered(drafts: readonly Draft[]): SourceEntry[] {
  const occurrences = new Map<Draft, number>();
  for (const group of groupBy(drafts, ({ digest }) => digest).values()) {
    [...group]
      .sort((one, other) => (one.text < other.text ? -1 : one.text > other.text ? 1 : 0))
      .forEach((line, at) => occurrences.set(line, at + 1));
  }
  return drafts.map((line) => {
    const entry: SourceEntry & { text?: string } = { ...line, occurrence: occurrences.get(line) ?? 1 };
    // It may contain names.
    delete entry.text;
    return entry;
  });
}

/**
 * The lines of a file as they are stored, in the order of the file.
 *
 * @throws StatementFileRefused if it has too many equal lines
 */
export function sourceEntriesOf(file: StatementFile, context: SearchContext): SourceEntry[] {
  const found = file.statements.flatMap((statement, at) =>
    numbered(statement.entries.flatMap((entry) => draftsOf(entry, { statement, number: at + 1, context }))),
  );
  for (const equal of groupBy(found, ({ digest }) => digest).values()) {
    if (equal.length <= fileLimits.equalLines) continue;
    throw new StatementFileRefused(`The file has more than ${fileLimits.equalLines} equal entries.`);
  }
  return found;
}
