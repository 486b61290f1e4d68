import { dayMs } from '../../shared/clock';
import { groupBy } from '../../shared/group-by';
import { isBankingDay, nextDay } from './matching/banking-days';
import type { CoveredPeriod } from './positions.store';

/** A statement that covers whole days. */
export type Period = Omit<CoveredPeriod, 'accountId' | 'graceDays' | 'from' | 'to'> & {
  from: string;
  to: string;
};

/** Whether both balances are known, and are not equal. */
export const differ = (one: bigint | null, other: bigint | null): boolean =>
  one !== null && other !== null && one !== other;

/**
 * Whether no statement is missing between these two: the closing balance is the next opening
 * balance.
 */
export const isContinued = (
  { closingCents }: Pick<Period, 'closingCents'>,
  { openingCents }: Pick<Period, 'openingCents'>,
): boolean => !differ(closingCents, openingCents);

/** Whether a period follows another without a banking day between them. */
export function joins(to: string, from: string): boolean {
  let day = nextDay(to);
  while (day < from && !isBankingDay(day)) day = nextDay(day);
  return from <= day;
}

const compare = <Value extends string | bigint>(one: Value, other: Value): number =>
  one < other ? -1 : one > other ? 1 : 0;

export const inOrder = (one: Period, other: Period): number =>
  compare(one.from, other.from) || compare(one.to, other.to);

const isSame = (one: Period, other: Period): boolean =>
  one.number === other.number &&
  one.openingCents === other.openingCents &&
  one.closingCents === other.closingCents;

const isNextNumber = (one: Period, next: Period): boolean =>
  one.number !== null && next.number === one.number + 1n;

/** Whether no statement is missing between these two. Without balances, the numbers decide. */
const isNext = (one: Period, next: Period): boolean =>
  one.closingCents !== null && next.openingCents !== null ? isContinued(one, next) : isNextNumber(one, next);

/** The numbered statements of one day, from the first to the last. */
interface NumberedDay {
  first: Period;
  last: Period;
}

/**
 * Whether no statement of a day is missing between these two. The balances cannot show it, because
 * the missing one may not change the balance. Some banks number the days, not the statements.
 */
const isNextOfDay = (one: Period, next: Period): boolean =>
  isNext(one, next) && (one.number === next.number || isNextNumber(one, next));

const isSwept = ({ openingCents, closingCents }: Period): boolean =>
  openingCents !== null && openingCents === closingCents;

const daysBetween = (from: string, to: string): bigint => BigInt((Date.parse(to) - Date.parse(from)) / dayMs);

/**
 * Whether a statement between these two may be missing although the balances are equal: numbers are
 * missing, and neither statement changes the balance. A bank that numbers the days leaves out
 * numbers too.
 */
function isGapHidden(one: Period, next: Period): boolean {
  if (one.number === null || next.number === null || !isSwept(one) || !isSwept(next)) return false;
  const step = next.number - one.number;
  return step > 1n && step !== daysBetween(one.to, next.from);
}

/**
 * Whether the bank starts to number again between these two, but number 1 is missing. The balances
 * cannot show it if the missing statement does not change the balance.
 */
const isRestartMissing = (one: Period, next: Period): boolean =>
  one.number !== null && next.number !== null && next.number > 1n && next.number <= one.number;

/** Empty if a statement is missing between two of the day. */
function joined(ofDay: readonly Period[]): NumberedDay[] {
  const [first, ...others] = ofDay;
  if (!first) return [];
  let last = first;
  for (const next of others) {
    if (isSame(last, next)) continue;
    if (!isNextOfDay(last, next)) return [];
    last = next;
  }
  return [{ first, last }];
}

/**
 * Whether no other statement of the day comes before its first one. Only number 1, or the statement
 * before, shows this.
 */
function isStartKnown(first: Period, before: Period | undefined): boolean {
  if (!before) return first.number === 1n;
  const isNeighbor = joins(before.to, first.from);
  if (isNeighbor && !isContinued(before, first)) return false;
  if (first.number === 1n) return true;
  if (isRestartMissing(before, first)) return false;
  return isNext(before, first) && (isNeighbor ? !isGapHidden(before, first) : isNextNumber(before, first));
}

/**
 * Whether the statement after may follow the last one of the day. If none does, another one of the
 * day may come, unless the bank writes only one a day.
 */
function isEndKnown(last: Period, after: Period | undefined, isOneADay: boolean): boolean {
  if (!after) return isOneADay;
  if (after.number === 1n || after.number === null) return isContinued(last, after);
  return isNext(last, after) && !isGapHidden(last, after) && !isRestartMissing(last, after);
}

const numberOf = ({ number }: Period): bigint => number ?? 0n;

/**
 * The days that numbered statements cover. A day is covered if no statement of it is missing: at
 * its start, between its statements or at its end.
 *
 * @param numbered sorted by time, then by number
 * @param all the statements of the account in the order of time, with or without numbers
 */
export function numberedDays(numbered: readonly Period[], all: readonly Period[]): Period[] {
  const ofDays = [...groupBy(numbered, ({ from }) => from).values()];
  const isOneADay = ofDays.every((ofDay) => ofDay.every((one) => isSame(ofDay[0] ?? one, one)));
  const days = ofDays.flatMap(joined);
  const byEnd = [...all].sort(
    (one, other) => compare(one.to, other.to) || compare(numberOf(one), numberOf(other)),
  );
  let [ended, started] = [0, 0];
  return days.flatMap(({ first, last }) => {
    while ((byEnd[ended]?.to ?? first.from) < first.from) ended += 1;
    while (started < all.length && (all[started]?.from ?? '') <= last.to) started += 1;
    const isComplete = isStartKnown(first, byEnd[ended - 1]) && isEndKnown(last, all[started], isOneADay);
    return isComplete ? [{ ...last, from: first.from, openingCents: first.openingCents }] : [];
  });
}
