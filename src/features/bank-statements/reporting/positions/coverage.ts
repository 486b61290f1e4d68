import { groupBy } from '../../../../shared/group-by';
import { addBankingDays, newYorkDay } from '../../rules/days/banking-days';
import { defaultGraceDays } from '../../accounts/grace-days.field';

/** Days that the statements of an account cover without a gap. */
export interface CoveredPeriod {
  accountId: string;
  graceDays: number;
  /** Null if the account covers no day. */
  from: string | null;
  to: string | null;
}

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

interface Days {
  from: string;
  to: string;
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

/** @param periods those of an account are in the order of time */
export function coverageOf(periods: readonly CoveredPeriod[]): Coverage {
  const accounts = [...groupBy(periods, ({ accountId }) => accountId).values()].map((ofAccount) =>
    ofAccount.flatMap(({ from, to }) => (from !== null && to !== null ? [{ from, to }] : [])),
  );
  const [first = [], ...others] = accounts;
  const covered = others.reduce<readonly Days[]>(inBoth, first);
  const graceDays = periods.map((period) => period.graceDays);
  return {
    graceDays:
      graceDays.length === 0 ? defaultGraceDays : graceDays.reduce((one, other) => Math.max(one, other)),
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
