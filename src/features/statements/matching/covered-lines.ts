import { dayMs } from '../../../shared/clock';
import type { ClassSource } from './class-source';

/** A final statement with correct totals. */
export interface FinalStatement {
  accountId: string;
  format: string;
  startsAtMs: number;
  endsAtMs: number;
  /** See `Statement`. */
  madeAt: string | null;
}

export type DatedLine = Pick<
  ClassSource,
  'accountId' | 'format' | 'isFinal' | 'bookingDate' | 'isTimeKnown' | 'startsAtMs' | 'endsAtMs' | 'madeAt'
>;

/** The formats whose statements contain all payments of their days, in the order of preference. */
export const finalFormats: readonly string[] = ['camt.053', 'bai2', 'csv'];

/** The place of a format in the order of preference, from 1. */
export const rankOf = (format: string): number => finalFormats.indexOf(format) + 1 || finalFormats.length + 1;

/** Whether the line has the preferred format, so that no other format covers it. */
export const isOfFirstFormat = ({ format }: Pick<DatedLine, 'format'>): boolean => format === finalFormats[0];

/** A day in the United States ends at most this long after the same day in UTC. */
const westernmostMs = 8 * 3_600_000;

/** A day long after any statement, in days since 1970. */
const lastDay = 100_000;

/** In days since 1970. */
const numberOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / dayMs;

/** The first and last day of a line, in whole days since 1970. */
export function daysOfLine(line: DatedLine): [from: number, to: number] {
  const { isFinal, isTimeKnown, bookingDate, startsAtMs, endsAtMs } = line;
  if (bookingDate !== null) {
    const day = numberOf(bookingDate);
    // Notifications may state the day in UTC.
    return isFinal ? [day, day] : [day - 1, day + 1];
  }
  return isTimeKnown ? [Math.floor(startsAtMs / dayMs), Math.floor((endsAtMs - 1) / dayMs)] : [0, lastDay];
}

/** Whether the times can be compared: both in UTC, or both in the zone of the bank. */
const isComparable = (one: string, other: string): boolean => one.endsWith('Z') === other.endsWith('Z');

const isMadeAfter = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && isComparable(one, other) && one > other;

/** The last day of a statement, in days since 1970. */
const lastDayOf = ({ startsAtMs, endsAtMs }: FinalStatement): number =>
  Math.floor(Math.max(startsAtMs, endsAtMs - 1 - westernmostMs) / dayMs);

/**
 * Whether a line of a notification follows a statement: it has a later day, and was made after the
 * statement. Without the times, its day may be the statement's last day, stated in UTC.
 */
const isAfter = (line: DatedLine, statement: FinalStatement): boolean =>
  line.bookingDate !== null &&
  numberOf(line.bookingDate) > lastDayOf(statement) &&
  isMadeAfter(line.madeAt, statement.madeAt);

/**
 * Whether a preferred format states the payments of this line's days. Two formats may give
 * different references to the same payment, so only the preferred format confirms it. The order is
 * camt.053, BAI2, CSV, and then reports and notifications.
 */
export function isCovered(line: DatedLine, statements: readonly FinalStatement[]): boolean {
  const [from, to] = daysOfLine(line);
  return statements.some(
    (statement) =>
      statement.accountId === line.accountId &&
      rankOf(statement.format) < rankOf(line.format) &&
      Math.floor(statement.startsAtMs / dayMs) <= to &&
      lastDayOf(statement) >= from &&
      !isAfter(line, statement),
  );
}
