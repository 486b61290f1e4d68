import {
  type EntryPart,
  type EntryProblem,
  signedCents,
  type StatementFile,
} from '@contribution-service/bank-files';

import type { StoredSearch } from '../../contributions/match-entry';

/** A statement without its lines: a row of `statements`. Days are YYYY-MM-DD. */
export interface StatementHead {
  statementId: string;
  format: StatementFile['format'];
  /** Only a final statement states what its days are. Reports and notifications have some lines. */
  isFinal: boolean;
  /** The bank's identifier. */
  bankId: string | null;
  number: bigint | null;
  /** When the bank made it: see `compareTimes`. */
  madeAt: string | null;
  from: string;
  to: string;
  /** The part of a day, in milliseconds from its midnight: see `periodOf`. */
  startMs: number;
  endMs: number;
  /** Whether the bank states the period or the days of its balances. */
  isPeriodStated: boolean;
  /** The last day that it can cover: a statement covers no day after its upload. */
  coversTo: string;
  openingCents: bigint | null;
  closingCents: bigint | null;
  /** The signed sum of its lines. */
  changeCents: bigint;
  /** Whether it has no balances, and its totals are wrong. */
  isDamaged: boolean;
  /** Null unless it is one page of several: see `joinPages`. */
  page: { number: number; isLast: boolean } | null;
  /** Equal for statements with equal content. */
  digest: string;
}

/** What is compared between two versions of a day. */
export interface ComparedLine {
  statementId: string;
  /** The number of the line in its statement, from 1. */
  number: number;
  direction: EntryPart['direction'];
  cents: bigint;
  /** The bank's own reference. */
  reference: string | null;
  /** The transaction ids in its texts, sorted. Empty if there are none. */
  ids: string;
  problem: EntryProblem | null;
  /** Whether it is a part of a batch entry. */
  isPart: boolean;
  /** Equal for lines that state the same in all members. */
  content: string;
}

/** What one statement states of one day: a row of `statement_days`. */
export interface StatementDay {
  statement: StatementHead;
  /** Those of its pages. */
  statementIds: readonly string[];
  day: string;
  /** The signed sums of its lines of earlier days, and of this day. */
  beforeCents: bigint;
  changeCents: bigint;
  /** Empty until they are loaded: see `chooseVersion`. */
  lines: readonly ComparedLine[];
}

/** A booked line: an entry, a part of one, or the charge of one. A row of `statement_lines`. */
export interface StatementLine extends ComparedLine {
  day: string;
  /** The day that the bank states, if the line was moved: see `placeOf`. */
  ownDay: string | null;
  chargesCents: bigint;
  /** The amount before deductions, if the bank states it. */
  statedCents: bigint | null;
  /** A digest of the ids, or of the text if there are none. */
  digest: string;
  returnCode: string | null;
  /** The bank's code for the kind of line: a rule of the account can name it. */
  code: string | null;
  search: StoredSearch;
  /** The signed amount of its batch entry, or of the line if a notification may have its parts. */
  batchCents: bigint | null;
}

/** Whether the line belongs to the balances. */
export const isMoney = ({ problem }: Pick<ComparedLine, 'problem'>): boolean =>
  problem !== 'not_booked' && problem !== 'unreadable';

/** The signed sum of lines. */
export const changeOf = (lines: readonly ComparedLine[]): bigint =>
  lines.reduce((sum, line) => (isMoney(line) ? sum + signedCents(line.direction, line.cents) : sum), 0n);

/** The formats, the best first: a day has the version of one format. */
const ranks = ['camt.053', 'bai2', 'csv', 'nacha', 'camt.052', 'camt.054'];
export const rankOf = (format: StatementFile['format']): number => ranks.indexOf(format);

/** Puts greater numbers first: of the first place at which two lists differ. */
export const compareNumbers = (one: readonly number[], other: readonly number[]): number =>
  one.map((value, at) => (other[at] ?? 0) - value).find((difference) => difference !== 0) ?? 0;

const kindOf = (time: string): string => (time.endsWith('Z') ? 'utc' : time.includes(' ') ? 'file' : 'local');

/**
 * Compares when two statements were made. Undefined if a time is unknown, or if they are of
 * different kinds: in UTC, without a zone, or the order of BAI2 files.
 */
export function compareTimes(one: string | null, other: string | null): number | undefined {
  if (one === null || other === null || kindOf(one) !== kindOf(other)) return undefined;
  return one < other ? -1 : Number(one > other);
}
