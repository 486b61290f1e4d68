import { OperatorError } from '../../../shared/operator-error';
import type { CalendarAccount, CalendarStore } from '../reporting/days/calendar.store';

/** The accounts of an environment, as operators name them. */
export type AccountLookupService = ReturnType<typeof createAccountLookupService>;

const accountsAtOnce = 100;

export function createAccountLookupService(accounts: Pick<CalendarStore, 'list'>) {
  /** @param named an account_id, or the ending or the name of an account. Undefined selects all */
  async function list(environmentId: number, named?: string): Promise<CalendarAccount[]> {
    const found: CalendarAccount[] = [];
    for (let after: string | undefined; ;) {
      const page = await accounts.list(environmentId, after, accountsAtOnce);
      found.push(...page);
      if (page.length < accountsAtOnce) break;
      after = page.at(-1)?.accountId;
    }
    const isNamed = ({ accountId, ending, name }: CalendarAccount): boolean =>
      [accountId, ending, name].includes(named ?? accountId);
    return found.filter(isNamed);
  }

  return {
    list,

    /** @throws OperatorError if no account, or more than one, has this id, ending or name */
    async find(environmentId: number, named: string): Promise<CalendarAccount> {
      const [account, other] = await list(environmentId, named);
      if (account && !other) return account;
      throw new OperatorError(
        account
          ? `Several accounts have the ending or name "${named}". Enter an account_id: "statements days --all --json" shows it.`
          : `There is no account "${named}" with statements. "statements days --all" lists the accounts.`,
      );
    },
  };
}
