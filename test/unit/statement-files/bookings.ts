import {
  type EntryPart,
  PackedList,
  type Statement,
  type StatementEntry,
  type StatementFile,
} from '@contribution-service/bank-files';
import fc from 'fast-check';

import { composeTransactionId } from '../../../src/shared/transaction-id';

/** The movements that a bank books in a week, and its statements about them in several formats. */
const tag = 'K7Q2';
const issuedAt = new Date('2026-10-31T12:00:00Z');
export const context = { tags: new Set([tag]), now: new Date('2026-12-31T00:00:00Z') };
export const expectedCents = 25_00n;
export const days = 4;
export const ids = Array.from({ length: 20 }, (_, number) => composeTransactionId(tag, issuedAt, number))
  .flatMap((id) => id ?? [])
  .slice(0, 3);

const placeholders = ['NONREF', 'NOTPROVIDED', 'N/A0', '000000'];

/** What a bank booked: one payment, or a batch of several. */
export interface Booking {
  parts: { contribution: number; cents: bigint }[];
  direction: 'credit' | 'debit';
  day: number;
  isAfternoon: boolean;
  /**
   * `shared`: many payments have the same reference. `reused`: the bank repeats a reference after
   * some days.
   */
  reference: 'unique' | 'none' | 'placeholder' | 'shared' | 'reused';
  placeholder: string;
  /** How a notification differs from the statement. */
  notified: { date: 'same' | 'utc' | 'none'; isWrapped: boolean; hasMore: boolean; isCut: boolean };
  /** Whether the reference in BAI2 and CSV differs from the one in camt. */
  hasOtherReference: boolean;
  /** A second payment in the other half of the day, of the same contribution or of another one. */
  twin: 'none' | 'same' | 'other';
}

const part = fc.record({
  contribution: fc.integer({ min: 0, max: 2 }),
  // Few amounts, so that equal lines are frequent.
  cents: fc.constantFrom(expectedCents, expectedCents, 10_00n),
});

export const booking = fc.record<Booking>({
  parts: fc.oneof(
    { weight: 3, arbitrary: fc.array(part, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(part, { minLength: 2, maxLength: 3 }) },
  ),
  direction: fc.constantFrom('credit', 'credit', 'debit'),
  day: fc.integer({ min: 0, max: days - 1 }),
  isAfternoon: fc.boolean(),
  reference: fc.constantFrom('unique', 'none', 'placeholder', 'shared', 'reused'),
  placeholder: fc.constantFrom(...placeholders),
  notified: fc.record({
    date: fc.constantFrom('same', 'utc', 'none'),
    isWrapped: fc.boolean(),
    hasMore: fc.boolean(),
    isCut: fc.boolean(),
  }),
  hasOtherReference: fc.boolean(),
  twin: fc.constantFrom('none', 'none', 'same', 'other'),
});

export type Numbered = Booking & { number: number };

const twinOf = (one: Booking): Booking => ({
  ...one,
  isAfternoon: !one.isAfternoon,
  parts:
    one.twin === 'same'
      ? one.parts
      : one.parts.map((given) => ({ ...given, contribution: (given.contribution + 1) % ids.length })),
});

/**
 * Bookings with the same reference differ in the day, the amount or the contribution. Each batch
 * has a unique reference.
 */
export function numbered(bookings: readonly Booking[]): Numbered[] {
  const seen = new Set<string>();
  const withTwins = bookings.flatMap((one) => (one.twin === 'none' ? [one] : [one, twinOf(one)]));
  return withTwins.flatMap((one, number) => {
    const isShared = one.reference === 'shared' || one.reference === 'reused';
    const reference = isShared && one.parts.length > 1 ? 'unique' : one.reference;
    const [first] = one.parts;
    const key = `${reference} ${one.direction} ${one.day} ${first?.contribution} ${first?.cents}`;
    if (reference === one.reference && isShared && seen.has(key)) return [];
    seen.add(key);
    return [{ ...one, reference, number }];
  });
}

const dateOf = (day: number): string => new Date(Date.UTC(2026, 10, 1 + day)).toISOString().slice(0, 10);
export const idOf = (contribution: number): string => ids[contribution]!;

function referenceOf({ reference, placeholder, number, day }: Numbered): string | null {
  if (reference === 'unique') return `AX-100${number}`;
  if (reference === 'placeholder') return placeholder;
  if (reference === 'shared') return 'TRANSFER';
  return reference === 'reused' ? `RUN-${day % 3}` : null;
}

const sumOf = ({ parts }: Booking): bigint => parts.reduce((sum, { cents }) => sum + cents, 0n);

/** A partial debit without a code could be a charge, so debits have the code of a return. */
const returnCodeOf = ({ direction }: Booking): string | null => (direction === 'debit' ? 'AC04' : null);

function entryOf(one: Numbered, more: Partial<StatementEntry> = {}): StatementEntry {
  const isBatch = one.parts.length > 1;
  return {
    line: one.number,
    direction: one.direction,
    amountCents: sumOf(one),
    currency: 'USD',
    chargesCents: 0n,
    identifiers: [],
    references: isBatch ? [] : [`Gift ${idOf(one.parts[0]!.contribution)}`],
    returnCode: returnCodeOf(one),
    isBooked: true,
    bookingDate: dateOf(one.day),
    bankReference: referenceOf(one),
    parts: isBatch ? one.parts.map((given) => partOf(one, given, [`Gift ${idOf(given.contribution)}`])) : [],
    unreadable: null,
    ...more,
  };
}

const partOf = (one: Numbered, { cents }: Booking['parts'][number], references: string[]): EntryPart => ({
  line: one.number,
  direction: one.direction,
  amountCents: cents,
  currency: 'USD',
  chargesCents: 0n,
  identifiers: [],
  references,
  returnCode: returnCodeOf(one),
});

/** The reference of the completion. It appears only in notifications. */
export const instructionOf = (one: Numbered, at: number): string => `INSTR-${one.number}-${at}`;

/** A notification of the same money. */
function notificationOf(one: Numbered): StatementEntry {
  const { date, isWrapped, hasMore, isCut } = one.notified;
  const notified = one.parts.map(({ contribution }, at) => {
    const id = idOf(contribution);
    const text = isCut ? 'Gift' : isWrapped ? `Gift ${id.slice(0, 8)}\n${id.slice(8)}` : `Gift ${id}`;
    const identifiers = hasMore ? [instructionOf(one, at)] : [];
    return { identifiers, references: [...identifiers, text] };
  });
  const isBatch = one.parts.length > 1;
  return entryOf(one, {
    bookingDate: date === 'none' ? null : dateOf(one.day + (date === 'utc' && one.isAfternoon ? 1 : 0)),
    // Some banks have a reference only in their notifications.
    bankReference: one.reference === 'none' && hasMore ? `NT-${one.number}` : referenceOf(one),
    ...(isBatch ? {} : notified[0]),
    parts: isBatch ? one.parts.map((given, at) => ({ ...partOf(one, given, []), ...notified[at] })) : [],
  });
}

/** BAI2 and CSV have a line for each part. */
const singleLines = (one: Numbered, format: string): StatementEntry[] =>
  one.parts.map((given, at) =>
    entryOf(
      { ...one, parts: [given] },
      {
        references: [`${format} ${idOf(given.contribution)}`],
        bankReference:
          one.hasOtherReference || one.parts.length > 1 ? `${format}-${one.number}-${at}` : referenceOf(one),
      },
    ),
  );

interface FileForm {
  format?: StatementFile['format'];
  period?: { from: string; to: string } | null;
  sequence?: number;
  madeAt?: string;
}

const kinds = { 'camt.052': 'interim', 'camt.054': 'notification' } as const;

function fileOf(
  entries: StatementEntry[],
  { format = 'camt.053', period = null, sequence, madeAt }: FileForm,
): StatementFile {
  const statement: Statement = {
    line: 1,
    id: null,
    accountNumber: 'account',
    accountEnding: null,
    kind: format === 'camt.052' || format === 'camt.054' ? kinds[format] : 'final',
    sequence: sequence === undefined ? null : BigInt(sequence),
    period,
    balances: [],
    page: null,
    fileOrder: null,
    madeAt: madeAt ?? null,
    currency: 'USD',
    openingCents: null,
    closingCents: null,
    balance: 'balanced',
    entries: new PackedList(entries),
  };
  return { format, version: null, statements: [statement], problems: [] };
}

/** Notifications are sent during the day. Statements are made in the night after their last day. */
const noticeTime = (day: number): string => `${dateOf(day + 1)}T04:00:00.000Z`;
const statementTime = (lastDay: number): string => `${dateOf(lastDay + 1)}T07:00:00.000Z`;

/** The files of a day. Each form has all of its payments. */
export const coverage = fc.constantFrom('whole', 'halves', 'numbered halves', 'whole and halves');

export function dailyFiles(bookings: readonly Numbered[], day: number, form: string): StatementFile[] {
  const date = dateOf(day);
  const [noon, end] = [`${date}T12:00:00`, `${dateOf(day + 1)}T00:00:00`];
  const whole = { from: date, to: date };
  const madeAt = statementTime(day);
  const of = (isWanted: (one: Numbered) => boolean): StatementEntry[] =>
    bookings.filter((one) => one.day === day && isWanted(one)).map((one) => entryOf(one));
  const halves = [of((one) => !one.isAfternoon), of((one) => one.isAfternoon)] as const;
  const wholes = [
    fileOf(
      of(() => true),
      { period: whole, madeAt },
    ),
  ];
  const parts = [
    fileOf(halves[0], { period: { from: `${date}T00:00:00`, to: noon }, madeAt: `${date}T17:00:00.000Z` }),
    fileOf(halves[1], { period: { from: noon, to: end }, madeAt }),
  ];
  if (form === 'whole') return wholes;
  if (form === 'halves') return parts;
  if (form === 'numbered halves') {
    return halves.map((entries, at) => fileOf(entries, { period: whole, sequence: 2 * day + at, madeAt }));
  }
  return [...wholes, ...parts];
}

/** Other files with the same payments. */
export const others = fc.subarray(
  ['week', 'moved week', 'numbered week', 'numbered days', 'notifications', 'reports', 'bai2', 'csv'],
  { minLength: 0 },
);

export function otherFiles(bookings: readonly Numbered[], name: string): StatementFile[] {
  const daily = (
    make: (one: Numbered) => StatementEntry[],
    form: FileForm,
    hasPeriod = true,
  ): StatementFile[] =>
    Array.from({ length: days }, (_, day) => {
      const period = hasPeriod ? { from: dateOf(day), to: dateOf(day) } : null;
      const sequence = hasPeriod ? {} : { sequence: 250 + day };
      const isNotice = form.format === 'camt.052' || form.format === 'camt.054';
      return fileOf(bookings.filter((one) => one.day === day).flatMap(make), {
        ...form,
        ...sequence,
        madeAt: isNotice ? noticeTime(day) : statementTime(day),
        period,
      });
    });
  const all = bookings.map((one) => entryOf(one));
  switch (name) {
    case 'week':
      return [
        fileOf(all, { period: { from: dateOf(0), to: dateOf(days - 1) }, madeAt: statementTime(days - 1) }),
      ];
    case 'moved week':
      // The bank corrects the date of an entry, which its reference identifies.
      return [
        fileOf(
          bookings.flatMap((one) =>
            one.reference === 'unique' ? [entryOf(one, { bookingDate: dateOf(one.day + 1) })] : [],
          ),
          { period: { from: dateOf(0), to: dateOf(days - 1) } },
        ),
      ];
    case 'numbered week':
      return [fileOf(all, { sequence: 11 })];
    case 'numbered days':
      return daily((one) => [entryOf(one)], {}, false);
    case 'notifications':
      return daily((one) => [notificationOf(one)], { format: 'camt.054' });
    case 'reports':
      return daily((one) => [notificationOf(one)], { format: 'camt.052' }, false);
    case 'bai2':
      return daily((one) => singleLines(one, 'bai2'), { format: 'bai2' });
    default:
      return daily((one) => singleLines(one, 'csv'), { format: 'csv' }, false);
  }
}
