import type { AccountCalendars, LatestCoverage } from '../reporting/days/account-calendars';
import type { CalendarAccount, CalendarStore } from '../reporting/days/calendar.store';
import type { AccountSettings, AccountsStore, SettingsOutcome } from './accounts.store';

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
    /** @returns the account, or why it was not set */
    async set(
      environmentId: number,
      accountId: string,
      given: AccountSettings,
    ): Promise<CoveredAccount | Exclude<SettingsOutcome, 'set'>> {
      const outcome = await settings.set(environmentId, accountId, given);
      if (outcome !== 'set') return outcome;
      wake();
      const found = await accounts.accounts(environmentId, [accountId]);
      return (await covered(environmentId, found))[0] ?? 'no_account';
    },
  };
}

export type AccountsService = ReturnType<typeof createAccountsService>;
