import { groupBy } from '../../../../shared/group-by';
import { missingDayTexts } from '../sentences';
import { type AccountCalendar, accountCalendarOf, reportDaysOf } from './account-calendar';
import type { CalendarAccount, CalendarRange, CalendarStore, KnownDay } from './calendar.store';

/** The latest days that the statements of an account cover without a gap. */
export interface LatestCoverage {
  from: string | null;
  to: string | null;
  /** Why the next day with a statement is not covered. Null if there is none. */
  reason: string | null;
}

/** The number of days in which a gap is searched first. */
const daysAtFirst = 62;

function latestOf(of: AccountCalendar): LatestCoverage {
  const last = of.ranges.at(-1);
  const open = of.calendar.find(({ day, state }) => state !== 'covered' && day > (last?.to ?? ''));
  const [reported] = open ? reportDaysOf(of, open.day, open.day) : [];
  const reason = of.calendar.length === 0 ? missingDayTexts.none : (reported?.reason ?? null);
  return { from: last?.from ?? null, to: last?.to ?? null, reason };
}

/** Reads the days of accounts, and what they show together. */
export function createAccountCalendars(store: CalendarStore) {
  /** The calendars of accounts from days that were read. */
  async function toCalendars(
    environmentId: number,
    accounts: readonly CalendarAccount[],
    days: readonly KnownDay[],
  ): Promise<AccountCalendar[]> {
    const all = days.map(({ day }) => day).sort();
    const range = { from: all[0] ?? 'infinity', to: all.at(-1) ?? '-infinity' };
    const ids = accounts.map(({ accountId }) => accountId);
    const accepted = await store.accepted(environmentId, ids, range);
    const ofAccount = groupBy(days, ({ accountId }) => accountId);
    return accounts.map((account) => {
      const { accountId } = account;
      return accountCalendarOf(account, ofAccount.get(accountId) ?? [], accepted.get(accountId));
    });
  }

  return {
    /** The calendars of a range of days, in the order of the accounts. */
    async of(
      environmentId: number,
      accounts: readonly CalendarAccount[],
      range: CalendarRange,
    ): Promise<AccountCalendar[]> {
      const ids = accounts.map(({ accountId }) => accountId);
      return toCalendars(environmentId, accounts, await store.days(environmentId, ids, range));
    },
    /** By account_id. Reads earlier days only as long as there is no gap. */
    async latestCoverage(
      environmentId: number,
      accounts: readonly CalendarAccount[],
    ): Promise<Map<string, LatestCoverage>> {
      const found = new Map<string, LatestCoverage>();
      let left = accounts;
      for (let most = daysAtFirst; left.length > 0; most *= 8) {
        const ids = left.map(({ accountId }) => accountId);
        const days = await store.latestDays(environmentId, ids, most);
        for (const calendar of await toCalendars(environmentId, left, days)) {
          const latest = latestOf(calendar);
          const start = calendar.calendar[2]?.day ?? '';
          const isCut = calendar.days.size === most && (latest.from === null || latest.from <= start);
          if (!isCut) found.set(calendar.account.accountId, latest);
        }
        left = left.filter(({ accountId }) => !found.has(accountId));
      }
      return found;
    },
  };
}

export type AccountCalendars = ReturnType<typeof createAccountCalendars>;
