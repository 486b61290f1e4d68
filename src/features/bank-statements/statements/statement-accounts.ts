import { StatementFileRefused } from '@contribution-service/bank-files';
import { v7 as uuidv7 } from 'uuid';

import { pepperList, type Peppers } from '../../../core/key-pairs/credentials';
import { accountHmacs } from '../accounts/account-hmacs';
import type { KnownAccount, KnownAccountsStore } from '../accounts/known-accounts.store';
import type { AccountNumbersStore } from '../accounts/account-numbers.store';
import type { StatedAccount } from '../reading/read-file';
import type { UploadOptions } from '../uploads/statement-upload';

interface Dependencies {
  store: KnownAccountsStore;
  numbers: Pick<AccountNumbersStore, 'accountOf'>;
  peppers: Peppers;
}

type AccountOptions = Pick<UploadOptions, 'account' | 'direction'>;

/** @throws StatementFileRefused if the account is named wrongly or not at all */
export function checkAccounts(accounts: readonly StatedAccount[], { account }: AccountOptions): void {
  const isStated = accounts.map(({ accountNumber }) => accountNumber !== null);
  if (account === undefined && isStated.includes(false)) {
    throw new StatementFileRefused(
      'The file states no account number. Send `account` with your own name for the account.',
    );
  }
  // With another name, the lines of the account would count twice.
  if (account !== undefined && isStated.includes(true)) {
    throw new StatementFileRefused('The file states its account number. Omit account.');
  }
}

/** Finds accounts by their numbers. Only hashes of the numbers are stored. */
export function createStatementAccounts({ store, numbers, peppers }: Dependencies) {
  const secrets = pepperList(peppers);
  const hmacsOf = (stated: StatedAccount, { account }: AccountOptions): Buffer[] =>
    accountHmacs(secrets, stated, { account });

  /** The account itself, or the one for which it stands as a further number. */
  async function checked(environmentId: number, found: KnownAccount, { direction }: AccountOptions) {
    const known = (await numbers.accountOf(environmentId, found.accountId)) ?? found;
    if (direction === undefined || direction === known.direction) return known;
    throw new StatementFileRefused(
      `The account ${known.accountId} has the direction ${known.direction}. Omit direction, or change the account.`,
    );
  }

  return {
    /**
     * @returns undefined if the account is new
     * @throws StatementFileRefused if the account has another direction
     */
    async find(environmentId: number, stated: StatedAccount, options: AccountOptions) {
      const known = await store.find(environmentId, hmacsOf(stated, options));
      return known && checked(environmentId, known, options);
    },
    /**
     * Finds the account, or creates it.
     *
     * @throws StatementFileRefused if the account has another direction
     */
    async findOrCreate(environmentId: number, stated: StatedAccount, options: AccountOptions) {
      const account = await store.findOrCreate(environmentId, hmacsOf(stated, options), {
        ...{ accountId: uuidv7(), ending: stated.accountEnding, name: options.account ?? null },
        direction: options.direction ?? 'credit',
      });
      return checked(environmentId, account, options);
    },
  };
}

export type StatementAccounts = ReturnType<typeof createStatementAccounts>;
