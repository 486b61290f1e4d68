import type { CsvReading } from './csv-mapping';
import { fileLimits, limitNumber } from './file-limits';
import { PackedList } from './packed-list';

/** The common form of bank statements of all formats. It excludes names. */
export interface StatementFile {
  format: 'camt.052' | 'camt.053' | 'camt.054' | 'bai2' | 'nacha' | 'csv';
  /** The version that the file declares, such as "08". */
  version: string | null;
  statements: Statement[];
  problems: FileProblem[];
  /** How a CSV file was read. */
  csv?: CsvReading;
}

export interface FileProblem {
  line: number;
  message: string;
}

export interface Statement {
  line: number;
  /** The bank's identifier of the statement. */
  id: string | null;
  /** Identifies the account while the file is read. Never store or show it. */
  accountNumber: string | null;
  /** The last four characters of the account number. */
  accountEnding: string | null;
  /** Only a `final` statement is complete. Earlier statements may contain some of its entries. */
  kind: StatementKind;
  /** The bank's sequence number of the statement. */
  sequence: bigint | null;
  /** The stated period: dates or times in ISO 8601. A date in `to` is inclusive. */
  period: { from: string; to: string } | null;
  /** When the bank made it: see `creationTimeOf`. */
  madeAt: string | null;
  currency: string | null;
  openingCents: bigint | null;
  closingCents: bigint | null;
  /** The booked balances with the days that the bank states, in the order of the file. */
  balances: StatedBalance[];
  /** Present for one page of a statement that the bank sends in several files. */
  page: { number: number; isLast: boolean } | null;
  /**
   * The date, time and number of a BAI2 file as a text. Of two files of a bank, the later one has
   * the greater text. Null in other formats: see `madeAt`.
   */
  fileOrder: string | null;
  /** `not_checked`: the file omits a balance, or an entry is unreadable. */
  balance: 'balanced' | 'unbalanced' | 'not_checked';
  entries: PackedList<StatementEntry>;
}

/** A balance of an account at the start or the end of a day. */
export interface StatedBalance {
  isOpening: boolean;
  /**
   * YYYY-MM-DD. Null if the bank states no day, or the closing balance of the previous statement as
   * the opening one.
   */
  day: string | null;
  /** Negative if the account is overdrawn. */
  cents: bigint;
}

/** `interim`: a report during the day (camt.052). `notification`: single entries (camt.054). */
export type StatementKind = 'final' | 'interim' | 'notification';

/** What the bank's code says about an entry, if it is no usual payment. */
export type EntryNature = 'charge' | 'return';

export interface EntryPart {
  line: number;
  direction: 'credit' | 'debit';
  /** Null if the bank does not state an amount of this part. */
  amountCents: bigint | null;
  currency: string;
  /**
   * The amount before deductions in the currency of the entry, if the bank states it. It may be
   * larger than `amountCents`, or equal.
   */
  statedCents?: bigint | undefined;
  /** The amount in the currency of the entry, if `currency` is another one. */
  counter?: { cents: bigint; currency: string } | undefined;
  /** Charges that the bank deducted from this amount. */
  chargesCents: bigint;
  /** Texts from fields that contain only references: no names and no free text. */
  identifiers: string[];
  /** The texts that can contain an id of yours. */
  references: string[];
  /**
   * The texts of further fields that can contain an id of yours. They are not in `references`,
   * because a program may identify an entry by those.
   */
  furtherReferences?: string[] | undefined;
  /** The bank's code for the reason of a return, such as "AC04". */
  returnCode: string | null;
  /** Absent if the bank's codes do not mark it. */
  nature?: EntryNature | undefined;
  /** The bank's code for the kind of entry, such as "CHRG". Absent if it states none. */
  code?: string | undefined;
}

export interface StatementEntry extends Omit<EntryPart, 'amountCents'> {
  amountCents: bigint;
  isBooked: boolean;
  /** YYYY-MM-DD */
  bookingDate: string | null;
  bankReference: string | null;
  /** The payments of a batch entry. */
  parts: EntryPart[];
  /** The reason why the entry cannot be read. The other members are then meaningless. */
  unreadable: string | null;
}

/** A statement with what its file states. */
export const newStatement = (given: Pick<Statement, 'line' | 'kind'> & Partial<Statement>): Statement => ({
  id: null,
  accountNumber: null,
  accountEnding: null,
  sequence: null,
  period: null,
  madeAt: null,
  currency: null,
  openingCents: null,
  closingCents: null,
  balances: [],
  page: null,
  fileOrder: null,
  balance: 'not_checked',
  entries: new PackedList(),
  ...given,
});

/**
 * What an entry has unless its file states more. All entries share the list of parts, because a
 * file can have 100,000 entries.
 */
export const plainEntry = {
  isBooked: true,
  bankReference: null,
  chargesCents: 0n,
  returnCode: null,
  parts: [] as EntryPart[],
};

/** @throws StatementFileRefused if the file has too many statements */
export function addStatement({ statements }: StatementFile, statement: Statement): void {
  limitNumber('statements', statements.length + 1);
  // The previous statement is complete, so compress its last entries.
  statements.at(-1)?.entries.pack();
  statements.push(statement);
}

/** Compares the balances: opening balance + booked entries = closing balance. */
export function balanceOf({
  openingCents,
  closingCents,
  entries,
}: Pick<Statement, 'openingCents' | 'closingCents' | 'entries'>): Statement['balance'] {
  if (openingCents === null || closingCents === null) return 'not_checked';
  let sum = openingCents;
  for (const { unreadable, isBooked, direction, amountCents } of entries) {
    if (unreadable !== null) return 'not_checked';
    if (isBooked) sum += signedCents(direction, amountCents);
  }
  return sum === closingCents ? 'balanced' : 'unbalanced';
}

export const signedCents = (direction: EntryPart['direction'], cents: bigint): bigint =>
  direction === 'credit' ? cents : -cents;

/** @returns undefined for a text that does not start with a day of the calendar */
export function dayOf(text: string): string | undefined {
  const day = /^[12]\d{3}-\d\d-\d\d/.exec(text)?.[0];
  const time = day === undefined ? NaN : Date.parse(`${day}T00:00:00Z`);
  // Date.parse reads February 31 as March 3, so compare the result with the text.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day ?? '-') ? day : undefined;
}

/** The day of six digits, YYMMDD, as BAI2 and NACHA write it. */
export const dayOfDigits = (text: string | undefined): string | null =>
  dayOf((text ?? '').replace(/^(\d\d)(\d\d)(\d\d)$/, '20$1-$2-$3')) ?? null;

/**
 * The time at which a bank made a file. Only times of the same kind can be compared: see
 * `isMadeAfter`.
 *
 * @returns a time in UTC, with Z; without Z, a local time whose zone the bank does not state; null
 *   if the text is no time
 */
export function creationTimeOf(text: string): string | null {
  const stated = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (!stated || dayOf(text) === undefined) return null;
  const hasZone = stated[1] !== undefined;
  const time = Date.parse(hasZone ? text : `${text}Z`);
  if (Number.isNaN(time)) return null;
  const inUtc = new Date(time).toISOString();
  return hasZone ? inUtc : inUtc.slice(0, -1);
}

/**
 * Larger amounts are unreadable. With this limit, the sum of thousands of amounts fits into 64
 * bits.
 */
export const largestStatedCents = 10n ** 15n;

// ISO 20022 allows 18 digits. Decimals after the second must be zero.
const amount = /^\+?(?=[\d.]*\d)(\d*)(?:\.(\d*))?$/;

/** @returns undefined for a text that is not an amount in whole cents */
export function parseStatementCents(text: string): bigint | undefined {
  const [, whole = '', decimals = ''] = amount.exec(text) ?? [];
  if (whole.length + decimals.length === 0 || whole.length + decimals.length > 18) return undefined;
  if (!/^0*$/.test(decimals.slice(2))) return undefined;
  const cents = BigInt(whole || '0') * 100n + BigInt(decimals.slice(0, 2).padEnd(2, '0'));
  return cents <= largestStatedCents ? cents : undefined;
}

/** Texts that banks write instead of a reference, without separators. */
const placeholder =
  /^((.)\2*|NOT?(PROVIDED|KNOWN|AVAILABLE|APPLICABLE|SPECIFIED|USED)|(NON?|WITHOUT|MISSING|UNKNOWN)REF(ERENCE)?|(REF(ERENCE)?)?(NONE|NULL|NIL|NA|NREF|UNKNOWN|UNDEFINED|EMPTY)|TBD)0*$/;

/** Whether a text means "no reference", such as NONREF, NOTPROVIDED, N/A or 0000. */
export const isPlaceholder = (text: string): boolean => {
  const plain = text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
  return plain === '' || placeholder.test(plain);
};

/** The references, without the texts that mean "no reference". */
export const referencesOf = (texts: readonly (string | undefined)[]): string[] =>
  texts
    .filter((text): text is string => text !== undefined && !isPlaceholder(text))
    .slice(0, fileLimits.referencesPerEntry);
