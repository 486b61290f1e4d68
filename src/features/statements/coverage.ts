import { groupBy } from '../../shared/group-by';
import { addBankingDays, newYorkDay, nextDay, previousDay } from './matching/banking-days';
import { defaultGraceDays } from './matching/grace-days.field';
import { differ, inOrder, isContinued, joins, numberedDays, type Period } from './numbered-days';
import type { CoveredPeriod } from './positions.store';

/** The days that complete statements cover, without a gap, for each account. */
export interface Coverage {
  /** The number of banking days within which money must arrive. */
  graceDays: number;
  /**
   * Whether every account whose statements show all contributions has statements without a gap
   * between these days, inclusive.
   */
  covers(from: string, to: string): boolean;
}

export type Days = Pick<Period, 'from' | 'to'>;

const dayOf = (day: string): Days => ({ from: day, to: day });
const byStart = (one: Days, other: Days): number =>
  one.from < other.from ? -1 : one.from > other.from ? 1 : 0;

/**
 * The covered days, and the days at breaks. A period that follows the covered days without a break
 * extends them. If its balance does not follow, money of the day before or after the break is
 * missing.
 *
 * @param periods in the order of time
 */
function merged(periods: readonly Period[]): { covered: Days[]; atBreaks: Days[] } {
  const covered: Period[] = [];
  const atBreaks: Days[] = [];
  for (const period of periods) {
    const last = covered.at(-1);
    const overlaps = last !== undefined && period.from <= last.to;
    const follows = last !== undefined && !overlaps && joins(last.to, period.from);
    const isBroken = follows && !isContinued(last, period);
    if (last && (overlaps || follows) && !isBroken) {
      const { to, closingCents } = period;
      if (to >= last.to) Object.assign(last, { to, closingCents });
    } else {
      if (last && isBroken) atBreaks.push(dayOf(last.to), dayOf(period.from));
      covered.push({ ...period });
    }
  }
  return { covered, atBreaks };
}

/** The balance at the end of the day before. Null if no balance shows it. */
function balanceBefore({ from, openingCents, dailyCents }: Period, day: string): bigint | null {
  if (day === from || openingCents === null) return openingCents;
  if (dailyCents === null) return null;
  return Object.entries(dailyCents)
    .filter(([booked]) => booked >= from && booked < day)
    .reduce((sum, [, cents]) => sum + BigInt(cents), openingCents);
}

const balanceAfter = (period: Period, day: string): bigint | null =>
  day === period.to ? period.closingCents : balanceBefore(period, nextDay(day));

/**
 * The days for which two statements state different balances, so that one of them lacks money. A
 * numbered statement need not be the last one of its day, so its closing balance is not compared.
 *
 * @param periods in the order of time
 */
function contradictions(periods: readonly Period[]): Days[] {
  const result: Days[] = [];
  let longest: Period | undefined;
  for (const period of periods) {
    const { from, to, number } = period;
    if (longest && from <= longest.to) {
      const end = to < longest.to ? to : longest.to;
      const isNumbered = number !== null || longest.number !== null;
      if (
        differ(balanceBefore(longest, from), period.openingCents) ||
        (!isNumbered && differ(balanceAfter(longest, end), balanceAfter(period, end)))
      ) {
        result.push({ from, to: end });
      }
    }
    if (!longest || to >= longest.to) longest = period;
  }
  return result;
}

/** The first list without the days of the second one. Both are in the order of time. */
function without(days: readonly Days[], excluded: readonly Days[]): Days[] {
  const result: Days[] = [];
  let at = 0;
  for (const { from, to } of days) {
    let start = from;
    for (let found = excluded[at]; found && found.from <= to; found = excluded[at]) {
      if (found.from > start) result.push({ from: start, to: previousDay(found.from) });
      if (found.to >= start) start = nextDay(found.to);
      if (found.to >= to) break;
      at += 1;
    }
    if (start <= to) result.push({ from: start, to });
  }
  return result;
}

/** The days that the statements of one account cover. */
function daysOf(periods: readonly Period[]): Days[] {
  const numbered = periods.filter(({ number }) => number !== null);
  const others = periods.filter(({ number }) => number === null);
  const complete =
    numbered.length === 0 ? periods : [...others, ...numberedDays(numbered, periods)].sort(inOrder);
  const { covered, atBreaks } = merged(complete);
  return without(covered, [...contradictions(complete), ...atBreaks].sort(byStart));
}

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

const daysOfAccounts = (rows: readonly CoveredPeriod[]): ReadonlyMap<string, readonly Days[]> =>
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
