import type { AccountCalendars, LatestCoverage } from '../reporting/days/account-calendars';
import type { CalendarAccount, CalendarStore } from '../reporting/days/calendar.store';
import type { AccountSettings, AccountsStore } from './accounts.store';

/** An account, with the latest days that its statements cover. */
export interface CoveredAccount {
  account: CalendarAccount;
  coverage: LatestCoverage;
}

export interface AccountsDependencies {
  accounts: Pick<CalendarStore, 'accounts' | 'list'>;
  calendars: AccountCalendars;
  settings: AccountsStore;
  /** Called when lines must be compared again. */
  wake: () => void;
}

const none: LatestCoverage = { from: null, to: null, reason: null };

export function createAccountsService({ accounts, calendars, settings, wake }: AccountsDependencies) {
  async function covered(
    environmentId: number,
    found: readonly CalendarAccount[],
  ): Promise<CoveredAccount[]> {
    const latest = await calendars.latestCoverage(environmentId, found);
    return found.map((account) => ({ account, coverage: latest.get(account.accountId) ?? none }));
  }
  return {
    list: async (
      environmentId: number,
      after: string | undefined,
      limit: number,
    ): Promise<CoveredAccount[]> => covered(environmentId, await accounts.list(environmentId, after, limit)),
    /** @returns undefined if the environment has no such account */
    async set(
      environmentId: number,
      accountId: string,
      given: AccountSettings,
    ): Promise<CoveredAccount | undefined> {
      if (!(await settings.set(environmentId, accountId, given))) return undefined;
      wake();
      return (await covered(environmentId, await accounts.accounts(environmentId, [accountId])))[0];
    },
  };
}

export type AccountsService = ReturnType<typeof createAccountsService>;
