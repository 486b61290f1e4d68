import type { CoveredPeriod } from '../../../statements/positions.store';
import { coveredRanges } from '../../rules/days/calendar';
import type { AccountCalendar } from '../days/account-calendar';
import type { AccountCalendars } from '../days/account-calendars';
import type { CalendarAccount, CalendarStore } from '../days/calendar.store';

const always = { from: '-infinity', to: 'infinity' };

/** A day covers nothing while its lines are being compared. */
function periodsOf({ account, calendar, days }: AccountCalendar): CoveredPeriod[] {
  const { accountId, graceDays } = account;
  const compared = calendar.map((one) =>
    days.get(one.day)?.hasWork ? { ...one, state: 'open' as const } : one,
  );
  const unknown = { number: null, openingCents: null, closingCents: null, dailyCents: null };
  const ranges: { from: string | null; to: string | null }[] = coveredRanges(compared);
  if (ranges.length === 0) ranges.push({ from: null, to: null });
  return ranges.map((range) => ({ accountId, graceDays, ...range, ...unknown }));
}

const inOrder = (one: CoveredPeriod, other: CoveredPeriod): number =>
  (one.from ?? '') < (other.from ?? '') ? -1 : 1;

/** The days that accounts cover, by their calendars. */
export function createAccountCoverage(
  accounts: Pick<CalendarStore, 'accounts' | 'completeAccounts'>,
  calendars: AccountCalendars,
) {
  async function coverageOf(viewer: number, of: readonly CalendarAccount[]): Promise<CoveredPeriod[]> {
    if (of.length === 0) return [];
    return (await calendars.of(viewer, of, always)).flatMap(periodsOf).sort(inOrder);
  }
  return {
    /** The covered periods of accounts with complete_coverage, in the order of time. */
    coverage: async (viewer: number): Promise<CoveredPeriod[]> =>
      coverageOf(viewer, await accounts.completeAccounts(viewer)),
    /** The same for these accounts, with or without complete_coverage. */
    coverageOfAccounts: async (viewer: number, ids: readonly string[]): Promise<CoveredPeriod[]> =>
      coverageOf(viewer, await accounts.accounts(viewer, ids)),
  };
}
