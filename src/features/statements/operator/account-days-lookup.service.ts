import type { CompaniesService } from '../../../core/companies/companies.service';
import { type AccountDay, judgeDays, type ToldDays } from '../account-days';
import type { AccountDaysStore, DaysPage, DaysRange } from '../account-days.store';
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
  async function* accountIds(environmentId: number): AsyncGenerator<string, void> {
    for (let after: string | undefined; ;) {
      const rows = await accounts.list(environmentId, after, accountsAtOnce);
      for (const row of rows) yield row.account_id;
      if (rows.length < accountsAtOnce) return;
      after = rows.at(-1)?.account_id;
    }
  }

  async function* pages(environmentId: number, { from, to }: DaysRange): AsyncGenerator<ToldDays, void> {
    for await (const accountId of accountIds(environmentId)) {
      let start: string | null = from ?? null;
      do {
        const page: DaysPage | undefined = await store.read(environmentId, accountId, {
          from: start ?? undefined,
          to,
        });
        if (page) yield page;
        start = page?.next ?? null;
      } while (start !== null);
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
      for await (const told of pages(environments[kind], range)) {
        const { accountId, ending, name } = told;
        const days = judgeDays(told).filter(({ state }) => isAll || state === 'different');
        found.push(...days.map((day) => ({ ...day, accountId, ending, name })));
      }
      return found;
    },
  };
}
