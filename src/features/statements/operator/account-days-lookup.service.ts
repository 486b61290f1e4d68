import type { CompaniesService } from '../../../core/companies/companies.service';
import { type AccountDay, judgeDays, type ToldDays } from '../account-days';
import type { AccountDaysStore, DaysRange } from '../account-days.store';
import type { StatementAccountsStore } from '../statement-accounts.store';
import type { UploaderName } from './position-lookup.service';

/** A day with its account. */
export interface DayOfAccount extends AccountDay, Pick<ToldDays, 'accountId' | 'ending' | 'name'> {}

/** The days of all accounts of an environment, as operators see them. */
export type AccountDaysLookupService = ReturnType<typeof createAccountDaysLookupService>;

const accountsAtOnce = 100;

export function createAccountDaysLookupService(
  companies: Pick<CompaniesService, 'find'>,
  accounts: Pick<StatementAccountsStore, 'list'>,
  store: AccountDaysStore,
) {
  async function* pages(environmentId: number, range: DaysRange): AsyncGenerator<ToldDays[], void> {
    for (let after: string | undefined; ;) {
      const rows = await accounts.list(environmentId, after, accountsAtOnce);
      const ids = rows.map((row) => row.account_id);
      yield await store.read(environmentId, ids, range);
      if (rows.length < accountsAtOnce) return;
      after = ids.at(-1);
    }
  }

  return {
    /**
     * The days of each account that differ, or all of them.
     *
     * @throws OperatorError if no company has this name
     */
    async list({ company, kind }: UploaderName, range: DaysRange, isAll: boolean): Promise<DayOfAccount[]> {
      const { environments } = await companies.find(company);
      const found: DayOfAccount[] = [];
      for await (const page of pages(environments[kind], range)) {
        for (const told of page) {
          const { accountId, ending, name } = told;
          const days = judgeDays(told).filter(({ state }) => isAll || state === 'different');
          found.push(...days.map((day) => ({ ...day, accountId, ending, name })));
        }
      }
      return found;
    },
  };
}
