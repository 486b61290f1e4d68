import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import type { KnownAccount } from './known-accounts.store';

/**
 * The account `a` stands for no other one. Statements under a further number belong to another
 * account, so nothing is read or asked about the account that the number had before. $1
 * environment_id
 */
export const isOwnAccount = `NOT EXISTS (
           SELECT FROM account_numbers u WHERE u.environment_id = $1 AND u.account_hmac = a.account_hmac)`;

// $1 environment_id, $2 account_id, $3 the account of the number, $4 reason, $5 who decided
const addNumber = query('add_account_number', 'SELECT add_account_number($1, $2, $3, $4, $5) AS outcome', {
  writes: true,
});

// $1 environment_id, $2 account_id, $3 the account of the number
const removeNumber = query('remove_account_number', 'SELECT remove_account_number($1, $2, $3) AS outcome', {
  writes: true,
});

// $1 environment_id, $2 account_id
const accountOfNumber = query(
  'read_account_of_number',
  `
  SELECT t.account_id AS "accountId", t.direction
    FROM statement_accounts a
    JOIN account_numbers n ON n.environment_id = a.environment_id AND n.account_hmac = a.account_hmac
    JOIN statement_accounts t ON t.environment_id = n.environment_id AND t.account_id = n.account_id
   WHERE a.environment_id = $1 AND a.account_id = $2
  `,
);

/**
 * What became of a further number. `has_statements`: void the statements of the other account
 * first, add the number, then upload them again. `upload_in_progress`: wait until all uploads are
 * read. `has_numbers`: one of the accounts stands for the other one or for a third one already.
 */
export type NumberOutcome =
  'added' | 'same' | 'no_account' | 'has_statements' | 'upload_in_progress' | 'has_numbers';

/**
 * What became of a number that a person takes back. `has_statements`: void the files since it was
 * added first. `same`: it is no further number of the account.
 */
export type RemovalOutcome = Exclude<NumberOutcome, 'added' | 'has_numbers'> | 'removed';

/** Further numbers of accounts. Later uploads under them belong to the account. */
export function createAccountNumbersStore(database: Pick<Database, 'run'>) {
  return {
    /** Says that the number of another account is a further number of this one. */
    async add(
      environmentId: number,
      { accountId, otherId }: { accountId: string; otherId: string },
      { reason, decidedBy }: { reason: string; decidedBy: string },
    ): Promise<NumberOutcome> {
      const values = [environmentId, accountId, otherId, reason, decidedBy];
      const [row] = await database.run<{ outcome: NumberOutcome }>(addNumber, values);
      return row?.outcome ?? 'no_account';
    },
    /** Takes back that the number of another account is one of this account. */
    async remove(environmentId: number, accountId: string, otherId: string): Promise<RemovalOutcome> {
      const values = [environmentId, accountId, otherId];
      const [row] = await database.run<{ outcome: RemovalOutcome }>(removeNumber, values);
      return row?.outcome ?? 'no_account';
    },
    /** The account for which this one stands as a further number. Undefined if there is none. */
    async accountOf(environmentId: number, accountId: string): Promise<KnownAccount | undefined> {
      const [row] = await database.run<KnownAccount>(accountOfNumber, [environmentId, accountId]);
      return row;
    },
  };
}

export type AccountNumbersStore = ReturnType<typeof createAccountNumbersStore>;
