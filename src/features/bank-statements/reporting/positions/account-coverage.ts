import { coveredRanges } from '../../rules/days/calendar';
import type { AccountCalendar } from '../days/account-calendar';
import type { AccountCalendars } from '../days/account-calendars';
import type { CalendarRange, CalendarStore } from '../days/calendar.store';
import type { CoveredPeriod } from './coverage';

/**
 * A day covers nothing while its lines are being compared. An accepted difference of balances hides
 * money, so nothing covers the days around it together.
 */
function periodsOf({ account, calendar, days }: AccountCalendar): CoveredPeriod[] {
  const { accountId, graceDays } = account;
  const compared = calendar.map((one) => ({
    ...one,
    ...(days.get(one.day)?.hasWork && { state: 'open' as const }),
    isContinued: one.isContinued && !one.isDifferenceAccepted,
  }));
  const ranges: Pick<CoveredPeriod, 'from' | 'to'>[] = coveredRanges(compared);
  if (ranges.length === 0) ranges.push({ from: null, to: null });
  return ranges.map((range) => ({ accountId, graceDays, ...range }));
}

/** The days that accounts with complete_coverage cover, by their calendars. */
export function createAccountCoverage(
  accounts: Pick<CalendarStore, 'completeAccounts'>,
  calendars: AccountCalendars,
) {
  return {
    /** Those of an account are in the order of time, and right within the range. */
    async coverage(viewer: number, range: CalendarRange): Promise<CoveredPeriod[]> {
      const complete = await accounts.completeAccounts(viewer);
      return complete.length === 0 ? [] : (await calendars.of(viewer, complete, range)).flatMap(periodsOf);
    },
  };
}
