import type { Statement } from '@contribution-service/bank-files';

import { dayMs } from '../../../shared/clock';

/** The period that a statement covers, for comparison with other statements of the account. */
export interface StatementTime {
  /** The days that the bank states, YYYY-MM-DD. */
  periodFrom: string | null;
  periodTo: string | null;
  /** A half-open range in milliseconds. */
  startsAtMs: number;
  endsAtMs: number;
  /** Whether the bank states a period, so that two statements can be compared. */
  isKnown: boolean;
  /**
   * Whether entries are dated outside the stated period. `accepted`: the number of a final
   * statement shows that they belong to it. `wrong`: otherwise, the period is wrong.
   */
  otherDates: 'none' | 'accepted' | 'wrong';
}

const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);
const dayOf = (text: string): string => text.slice(0, 10);
/**
 * The last day of a period. A period that ends at midnight does not include the day that starts
 * then.
 */
const lastDayOf = ({ from, to }: { from: string; to: string }): string => {
  const day = dayOf(to);
  const isMidnight = /T00:00(:00(\.0+)?)?(Z|[+-]\d\d:?\d\d)?$/.test(to) && day > dayOf(from);
  return isMidnight ? dayOf(new Date(Date.parse(`${day}T00:00:00Z`) - 1).toISOString()) : day;
};
const startOf = (text: string): number => Date.parse(isDay(text) ? `${text}T00:00:00Z` : withZone(text));
const endOf = (text: string): number => startOf(text) + (isDay(text) ? dayMs : 0);
/**
 * Adds UTC if the bank omits the zone. Any zone works, because times are compared only with each
 * other.
 */
const withZone = (text: string): string => (/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);

/** A time range with a zone and within a day is not comparable with a day without a zone. */
const isComparable = (text: string): boolean =>
  /T(00:00(:00(\.0+)?)?|23:59(:59(\.\d+)?)?)(Z|[+-]\d\d:?\d\d)$/.test(text) ||
  !/(Z|T.*[+-]\d\d:?\d\d)$/.test(text);

/** Whether the period ends before it starts. A bank may state a moment as a period. */
const isReversed = ({ from, to }: { from: string; to: string }): boolean =>
  isDay(to) ? startOf(from) >= endOf(to) : startOf(from) > endOf(to);

/** Whether the period is one whole day. */
const isOneDay = (startsAtMs: number, endsAtMs: number): boolean =>
  endsAtMs - startsAtMs <= dayMs && endsAtMs - startsAtMs > dayMs - 60_000;

/** The first and the last booking date. */
function bookingDays(entries: Statement['entries']): { from?: string; to?: string } {
  const days: { from?: string; to?: string } = {};
  for (const { bookingDate } of entries) {
    if (bookingDate === null) continue;
    if (days.from === undefined || bookingDate < days.from) days.from = bookingDate;
    if (days.to === undefined || bookingDate > days.to) days.to = bookingDate;
  }
  return days;
}

type Days = Pick<StatementTime, 'periodFrom' | 'periodTo'>;
const noDays: Days = { periodFrom: null, periodTo: null };

/** Whether booked entries are dated in these days, and whether some are dated outside them. */
function placesOf(entries: Statement['entries'], { periodFrom, periodTo }: Days) {
  let [hasDates, hasOtherDates] = [false, false];
  if (periodFrom === null || periodTo === null) return { hasDates, hasOtherDates };
  for (const { bookingDate, isBooked } of entries) {
    if (bookingDate === null || !isBooked) continue;
    if (bookingDate >= periodFrom && bookingDate <= periodTo) hasDates = true;
    else hasOtherDates = true;
  }
  return { hasDates, hasOtherDates };
}

/**
 * Two statements of one account overlap if their times overlap. Banks number several statements of
 * one day, so each numbered statement of a whole day gets one millisecond of that day. A statement
 * of that day without a number overlaps all of them.
 *
 * The time is known only if the bank states it. A numbered statement without a period may cover a
 * whole month, even if all of its entries have the same day.
 *
 * If a statement without a number, a report or a notification has entries that are dated outside
 * its period, its period is wrong. Its entries may then also be in the statements of those days. If
 * it has only such entries, it covers no day.
 */
export function timeOf({
  kind,
  period,
  sequence,
  entries,
}: Pick<Statement, 'kind' | 'period' | 'sequence' | 'entries'>): StatementTime {
  const { from, to } = period ?? bookingDays(entries);
  const startsAtMs = from === undefined ? 0 : startOf(from);
  const endsAtMs = to === undefined ? dayMs : Math.max(endOf(to), startsAtMs + 1);
  // A reversed period does not say which time it covers.
  const stated = period !== null && !isReversed(period) ? period : null;
  const days =
    stated && stated.from <= stated.to
      ? { periodFrom: dayOf(stated.from), periodTo: lastDayOf(stated) }
      : noDays;
  const { hasDates, hasOtherDates } = placesOf(entries, days);
  // The number of a report or notification does not show which days it covers.
  const isWrong = hasOtherDates && (sequence === null || kind !== 'final');
  const otherDates: StatementTime['otherDates'] = isWrong ? 'wrong' : hasOtherDates ? 'accepted' : 'none';
  const known = { ...(isWrong && !hasDates ? noDays : days), otherDates };
  const isKnown = stated !== null && !isWrong && isComparable(stated.from) && isComparable(stated.to);
  if (sequence !== null && isKnown && isOneDay(startsAtMs, endsAtMs)) {
    const startOfNumber = startsAtMs + Number(sequence % BigInt(dayMs));
    return { ...known, startsAtMs: startOfNumber, endsAtMs: startOfNumber + 1, isKnown };
  }
  return { ...known, startsAtMs, endsAtMs, isKnown };
}

/**
 * The booking date of entries that state none, in a final statement of one day. Null for a
 * statement of several days.
 *
 * Otherwise, a payment that the bank books again without a date would count as the first one.
 */
export const dayOfStatement = ({ isKnown, periodFrom, periodTo }: StatementTime): string | null =>
  isKnown && periodFrom === periodTo ? periodFrom : null;

type Range = Pick<StatementTime, 'startsAtMs' | 'endsAtMs'>;

/** Whether the range is that of a numbered statement of one day: see `timeOf`. */
export const isNumberedDay = ({ startsAtMs, endsAtMs }: Range): boolean => endsAtMs - startsAtMs === 1;

/**
 * The latest end of a statement. A numbered statement of one day may state the whole day, so it
 * ends with the day. Its number distinguishes it only from other numbered statements.
 */
export const latestEndOf = (time: Range): number =>
  isNumberedDay(time) ? (Math.floor(time.startsAtMs / dayMs) + 1) * dayMs : time.endsAtMs;

type BalancedTime = Pick<StatementTime, 'startsAtMs'> & {
  /** See `ClassSource`. */
  startBalance: string | null;
};

/**
 * Whether two statements may be one statement that the bank issued again with the next number. Both
 * are numbered statements of a day that start with the same balance and change it, so the second
 * does not follow the first. If there are numbers between them, the balance may have come back.
 * They then count as two statements: otherwise, a second payment would be hidden.
 */
export function isIssuedAgain(one: BalancedTime, other: BalancedTime): boolean {
  const isSameDay = Math.floor(one.startsAtMs / dayMs) === Math.floor(other.startsAtMs / dayMs);
  const isNextNumber = Math.abs(one.startsAtMs - other.startsAtMs) <= 1;
  return one.startBalance !== null && one.startBalance === other.startBalance && isSameDay && isNextNumber;
}
