import { groupBy } from '../../shared/group-by';
import { addBankingDays, isBankingDay, newYorkDay, nextDay, previousDay } from './matching/banking-days';
import { defaultGraceDays } from './matching/grace-days.field';
import type { CoveredPeriod } from './positions.store';

/** The days that complete statements cover, without a gap, for each account. */
export interface Coverage {
  /** Whether there is an account whose statements show all contributions. */
  isKnown: boolean;
  /** The number of banking days within which money must arrive. */
  graceDays: number;
  /** Whether every such account has statements without a gap between these days, inclusive. */
  covers(from: string, to: string): boolean;
}

/** Whether a period follows another without a banking day between them. */
function joins(to: string, from: string): boolean {
  let day = nextDay(to);
  while (day < from && !isBankingDay(day)) day = nextDay(day);
  return from <= day;
}

type Period = Pick<CoveredPeriod, 'number' | 'openingCents' | 'closingCents'> & { from: string; to: string };

/**
 * Whether no statement is missing between these two: the closing balance is the next opening
 * balance.
 */
const isContinued = ({ closingCents }: Period, { openingCents }: Period): boolean =>
  closingCents === null || openingCents === null || closingCents === openingCents;

const isSame = (one: Period, other: Period): boolean =>
  one.number === other.number &&
  one.openingCents === other.openingCents &&
  one.closingCents === other.closingCents;

/**
 * Whether no statement of the day is missing between these two. Without balances, the numbers tell.
 */
function isNext(one: Period, next: Period): boolean {
  if (one.closingCents !== null && next.openingCents !== null) return isContinued(one, next);
  return one.number !== null && next.number === one.number + 1n;
}

/** The days that numbered statements cover together, because none is missing between them. */
function wholeDays(numbered: readonly Period[]): Period[] {
  return [...groupBy(numbered, ({ from }) => from).values()].flatMap((ofDay) => {
    const [first, ...others] = ofDay;
    if (!first) return [];
    const day = { ...first };
    for (const next of others) {
      if (isSame(day, next)) continue;
      if (!isNext(day, next)) return [];
      Object.assign(day, next);
    }
    return [{ ...day, openingCents: first.openingCents }];
  });
}

const inOrder = (one: Period, other: Period): number =>
  one.from < other.from ? -1 : one.from > other.from ? 1 : one.to < other.to ? -1 : one.to > other.to ? 1 : 0;

/** @param periods in the order of time */
function merged(periods: readonly Period[]): Period[] {
  const result: Period[] = [];
  for (const period of periods) {
    const last = result.at(-1);
    const overlaps = last !== undefined && period.from <= last.to;
    const isNeighbor = last !== undefined && !overlaps && joins(last.to, period.from);
    if (last && (overlaps || (isNeighbor && isContinued(last, period)))) {
      const { to, number, closingCents } = period;
      if (to >= last.to) Object.assign(last, { to, number, closingCents });
    } else if (last && isNeighbor) {
      // The missing statement may be another numbered one of the day before the gap, or of the day
      // after.
      if (last.number !== null) last.to = previousDay(last.to);
      result.push({ ...period, from: period.number === null ? period.from : nextDay(period.from) });
    } else {
      result.push({ ...period });
    }
  }
  return result.filter(({ from, to }) => from <= to);
}

/** The days that the statements of one account cover. */
function daysOf(periods: readonly Period[]): Period[] {
  const numbered = periods.filter(({ number }) => number !== null);
  if (numbered.length === 0) return merged(periods);
  const others = periods.filter(({ number }) => number === null);
  return merged([...others, ...wholeDays(numbered)].sort(inOrder));
}

export type Days = Pick<Period, 'from' | 'to'>;

/** The days in both lists. Each list has separate periods in the order of time. */
function inBoth(ones: readonly Days[], others: readonly Days[]): Days[] {
  const result: Days[] = [];
  for (let at = 0, atOther = 0; ;) {
    const [one, other] = [ones[at], others[atOther]];
    if (!one || !other) return result;
    const from = one.from > other.from ? one.from : other.from;
    const to = one.to < other.to ? one.to : other.to;
    if (from <= to) result.push({ from, to });
    if (one.to < other.to) at += 1;
    else atOther += 1;
  }
}

const withDays = (row: CoveredPeriod): Period[] =>
  row.from !== null && row.to !== null ? [{ ...row, from: row.from, to: row.to }] : [];

const daysOfAccounts = (rows: readonly CoveredPeriod[]): ReadonlyMap<string, readonly Period[]> =>
  new Map(
    [...groupBy(rows, ({ accountId }) => accountId)].map(([accountId, ofAccount]) => [
      accountId,
      daysOf(ofAccount.flatMap(withDays)),
    ]),
  );

/**
 * The days that the latest statements of each account cover without a gap, by account_id.
 *
 * @param rows in the order of time
 */
export function latestDaysOf(rows: readonly CoveredPeriod[]): ReadonlyMap<string, Days | undefined> {
  return new Map([...daysOfAccounts(rows)].map(([accountId, days]) => [accountId, days.at(-1)]));
}

/**
 * Reads each row only once. A tenant can have thousands of accounts and statements, and every
 * request for positions computes this while other tenants wait.
 *
 * @param rows in the order of time
 */
export function coverageOf(rows: readonly CoveredPeriod[]): Coverage {
  const accounts = [...daysOfAccounts(rows).values()];
  const [first = [], ...others] = accounts;
  const covered = others.reduce<readonly Days[]>(inBoth, first);
  return {
    isKnown: accounts.length > 0,
    graceDays:
      rows.length > 0 ? rows.reduce((most, { graceDays }) => Math.max(most, graceDays), 0) : defaultGraceDays,
    covers: (from, to) => covered.some((period) => period.from <= from && period.to >= to),
  };
}

/**
 * The days on which the money of a completed contribution should arrive. The first day is the value
 * date or the day of completion in New York, whichever is earlier. The last day is `graceDays`
 * banking days later.
 */
export function dueDays(
  { valueDate, completedAt }: { valueDate: string | null; completedAt: Date },
  graceDays: number,
): { from: string; to: string } {
  const completed = newYorkDay(completedAt);
  const from = valueDate !== null && valueDate < completed ? valueDate : completed;
  return { from, to: addBankingDays(from, graceDays) };
}
