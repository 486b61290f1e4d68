import {
  type EntryPart,
  type EntryProblem,
  problemOf,
  type StatementEntry,
  type StatementFile,
  StatementFileRefused,
} from '@contribution-service/bank-files';

import { findTransactionIds } from './find-transaction-ids';
import { groupBy } from '../../../shared/group-by';
import { entryLimits } from '../statement-limits.field';
import { repairedIds } from './damaged-ids';
import { identified, type Line, plainDigestOf } from './line-identity';
import type { StoredSearch } from './match-entry';
import { dayOfStatement, type StatementTime } from './statement-time';

/** The money that an entry states. */
export interface StatedMoney extends Pick<
  StatementEntry,
  'direction' | 'chargesCents' | 'currency' | 'bookingDate' | 'bankReference' | 'returnCode'
> {
  /** Null if it cannot be read. */
  amountCents: bigint | null;
}

/** A line of a file, in the form that is stored: without names, free texts and account numbers. */
export interface SourceEntry extends StatedMoney {
  /** The number of its statement in the file, from 1. */
  statementNumber: number;
  line: number;
  /** Hexadecimal digits that are the same for equal lines of an account. */
  digest: string;
  /** The number of this line among equal lines of its statement, from 1. */
  occurrence: number;
  /** The digest of the batch entry to which this part belongs; null for other lines. */
  parentDigest: string | null;
  /** Whether the bank's reference identifies the line. */
  hasReference: boolean;
  /**
   * The digest of this line in a statement that omits the bank's reference; null without a
   * reference.
   */
  plainDigest: string | null;
  problem: EntryProblem | null;
  search: StoredSearch;
}

export interface SearchContext {
  /**
   * The tags of all environments whose contributions the uploader may ever see. A later link then
   * needs no other search.
   */
  tags: ReadonlySet<string>;
  now: Date;
}

/** Cuts a text, but never within a surrogate pair, because PostgreSQL rejects half of one. */
export const cut = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

const longestReference = 140;
const mostIdentifiers = 20;
/** One id more than the limit shows that there are too many. */
const mostIds = entryLimits.idsPerEntry + 1;

/** The references that may name a settlement. */
export const identifiersOf = (part: EntryPart): string[] =>
  [...new Set(part.identifiers)]
    .filter((identifier) => identifier.length <= entryLimits.identifierLength)
    .slice(0, mostIdentifiers);

function searchOf(part: EntryPart, { tags, now }: SearchContext): StoredSearch {
  // Ids that were never issued are found too, but only as whole words.
  const words = findTransactionIds(part.references, { now });
  const ids = words.ids.slice(0, mostIds);
  const anywhere = findTransactionIds(part.references, { now, tags }).ids;
  const attached = mostOfTags(anywhere.filter((id) => !ids.includes(id)));
  const texts = new Set(part.references);
  return {
    exact: ids.filter((id) => texts.has(id)),
    normalized: ids.filter((id) => !texts.has(id)),
    ...(attached.length > 0 ? { attached } : {}),
    repaired: ids.length === 0 ? repairedIds(part.references, tags, now) : [],
    hasWrongCheckCharacter: words.hasWrongCheckCharacter,
    identifiers: identifiersOf(part),
    ...(part.nature && { nature: part.nature }),
  };
}

/** The first ids of each tag, so the ids of one environment never displace those of another. */
function mostOfTags(ids: readonly string[]): string[] {
  return [...groupBy(ids, (id) => id.slice(0, 4)).values()].flatMap((ofTag) => ofTag.slice(0, mostIds));
}

const plainParentOf = (line: Line): string | null =>
  line.parentDigest === null || !line.hasReference
    ? null
    : plainDigestOf({ ...line, part: line.entry, parentDigest: null }, null);

/** @param days see `dayOfStatement`, for each statement */
function* linesOf({ statements }: StatementFile, days: readonly (string | null)[]): Generator<Line, void> {
  for (const [at, statement] of statements.entries()) {
    for (const entry of statement.entries) {
      const problem = problemOf(entry);
      const bookingDate = entry.bookingDate ?? days[at] ?? null;
      const place = { entry, statement, number: at + 1, bookingDate };
      const whole = identified({ ...place, part: entry, problem, parentDigest: null });
      if (problem !== null || entry.parts.length === 0) {
        yield whole;
        continue;
      }
      for (const part of entry.parts) {
        yield identified({ ...place, part, problem: null, parentDigest: whole.digest });
      }
    }
  }
}

const keyOf = ({ number, digest }: Line): string => `${number} ${digest}`;

/**
 * Numbers the lines that have equal lines in their statement. The numbers follow the order of the
 * lines' texts, so the order of the file does not matter. The result lists them in the order of the
 * file.
 */
function numbersOfEqualLines(lines: Iterable<Line>, repeated: ReadonlySet<number>): Map<string, number[]> {
  const texts = new Map<string, string[]>();
  if (repeated.size > 0) {
    for (const line of lines) {
      if (!repeated.has(startOf(line.digest))) continue;
      const known = texts.get(keyOf(line));
      if (known) known.push(line.text);
      else texts.set(keyOf(line), [line.text]);
    }
  }
  return new Map([...texts].map(([key, ofLines]) => [key, numbersOf(ofLines)]));
}

function numbersOf(texts: readonly string[]): number[] {
  const order = texts.map((text, at) => ({ text, at }));
  order.sort((one, other) => (one.text < other.text ? -1 : one.text > other.text ? 1 : 0));
  const numbers: number[] = [];
  order.forEach(({ at }, place) => (numbers[at] = place + 1));
  return numbers;
}

/**
 * The start of a digest as a number. It saves memory compared with the whole digests of all lines.
 */
const startOf = (digest: string): number => Number.parseInt(digest.slice(0, 13), 16);

/**
 * @returns the number of lines, and the starts of digests that several lines have
 * @throws StatementFileRefused if the file has too many equal lines
 */
function countLines(lines: Iterable<Line>): { count: number; repeated: Set<number> } {
  const starts: number[] = [];
  for (const { digest } of lines) starts.push(startOf(digest));
  const repeated = new Set<number>();
  let equal = 0;
  let previous: number | undefined;
  for (const start of Float64Array.from(starts).sort()) {
    equal = start === previous ? equal + 1 : 1;
    if (equal > 1) repeated.add(start);
    if (equal > entryLimits.equalLines) {
      throw new StatementFileRefused(`The file has more than ${entryLimits.equalLines} equal entries.`);
    }
    previous = start;
  }
  return { count: starts.length, repeated };
}

function sourceOf(
  line: Line,
  { occurrence, plainDigest }: Pick<SourceEntry, 'occurrence' | 'plainDigest'>,
  context: SearchContext,
): SourceEntry {
  const { part, entry, problem } = line;
  return {
    statementNumber: line.number,
    line: part.line,
    digest: line.digest,
    occurrence,
    parentDigest: line.parentDigest,
    hasReference: line.hasReference,
    plainDigest,
    direction: part.direction,
    amountCents: problem === 'unreadable' ? null : part.amountCents,
    chargesCents: part.chargesCents,
    currency: cut(part.currency, 3),
    bookingDate: line.bookingDate,
    bankReference: entry.bankReference === null ? null : cut(entry.bankReference, longestReference),
    problem,
    returnCode: part.returnCode === null ? null : cut(part.returnCode, 35),
    search: searchOf(part, context),
  };
}

/** The lines of a file as they are stored, in the order of the file. */
export interface SourceEntries {
  count: number;
  /** Creates each line when it is read, because all lines together would take much memory. */
  entries: Generator<SourceEntry, void>;
}

/**
 * @param times those of the statements
 * @throws StatementFileRefused if the file has too many equal lines
 */
export function sourceEntriesOf(
  file: StatementFile,
  times: readonly StatementTime[],
  context: SearchContext,
): SourceEntries {
  const days = times.map((time, at) => (file.statements[at]?.kind === 'final' ? dayOfStatement(time) : null));
  const { count, repeated } = countLines(linesOf(file, days));
  function* entries(): Generator<SourceEntry, void> {
    const numbers = numbersOfEqualLines(linesOf(file, days), repeated);
    const seen = new Map<string, number>();
    // The batch entry whose parts are being read.
    let parent: { entry: StatementEntry; plainParentDigest: string | null } | undefined;
    for (const line of linesOf(file, days)) {
      if (parent?.entry !== line.entry)
        parent = { entry: line.entry, plainParentDigest: plainParentOf(line) };
      const ofEqual = numbers.get(keyOf(line));
      const at = seen.get(keyOf(line)) ?? 0;
      if (ofEqual) seen.set(keyOf(line), at + 1);
      const plainDigest = line.hasReference ? plainDigestOf(line, parent.plainParentDigest) : null;
      yield sourceOf(line, { occurrence: ofEqual?.[at] ?? 1, plainDigest }, context);
    }
  }
  return { count, entries: entries() };
}
