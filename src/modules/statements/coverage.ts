import { addBankingDays, isBankingDay, newYorkDay, nextDay } from './matching/banking-days';
import { defaultGraceDays } from './matching/grace-days.field';
import type { CoveredPeriod } from './positions.store';

/** The days that complete statements cover, without a gap, for each account. */
export interface Coverage {
  /** Whether there is an account whose statements show all contributions. */
  isKnown: boolean;
  /** The number of banking days within which money must arrive. */
  graceDays: number;
  /** Whether every such account has statements without a gap from the first day to the last. */
  covers(from: string, to: string): boolean;
}

/** Days that are not banking days do not count as a gap between two periods. */
function joins(to: string, from: string): boolean {
  let day = nextDay(to);
  while (day < from && !isBankingDay(day)) day = nextDay(day);
  return from <= day;
}

type Period = Pick<CoveredPeriod, 'openingCents' | 'closingCents'> & { from: string; to: string };

/** The second statement starts with the closing balance of the first: none is missing. */
const isContinued = ({ closingCents }: Period, { openingCents }: Period): boolean =>
  closingCents === null || openingCents === null || closingCents === openingCents;

/** @param periods in the order of time */
function merged(periods: readonly Period[]): Period[] {
  const result: Period[] = [];
  for (const period of periods) {
    const last = result.at(-1);
    const overlaps = last !== undefined && period.from <= last.to;
    if (last && (overlaps || (joins(last.to, period.from) && isContinued(last, period)))) {
      if (period.to >= last.to) Object.assign(last, { to: period.to, closingCents: period.closingCents });
    } else {
      result.push({ ...period });
    }
  }
  return result;
}

/** @param rows in the order of time */
export function coverageOf(rows: readonly CoveredPeriod[]): Coverage {
  const accounts = [...new Set(rows.map(({ accountId }) => accountId))].map((accountId) =>
    merged(
      rows.flatMap((row) =>
        row.accountId === accountId && row.from !== null && row.to !== null
          ? [{ ...row, from: row.from, to: row.to }]
          : [],
      ),
    ),
  );
  return {
    isKnown: accounts.length > 0,
    graceDays: rows.length > 0 ? Math.max(...rows.map(({ graceDays }) => graceDays)) : defaultGraceDays,
    covers: (from, to) =>
      accounts.length > 0 &&
      accounts.every((periods) => periods.some((period) => period.from <= from && period.to >= to)),
  };
}

/**
 * The days on which the money of a completed contribution should arrive. They begin with the value
 * date or the day of completion in New York, whichever is earlier, and last this many banking days.
 */
export function dueDays(
  { valueDate, completedAt }: { valueDate: string | null; completedAt: Date },
  graceDays: number,
): { from: string; to: string } {
  const completed = newYorkDay(completedAt);
  const from = valueDate !== null && valueDate < completed ? valueDate : completed;
  return { from, to: addBankingDays(from, graceDays) };
}
