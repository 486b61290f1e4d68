import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';

// $1 environment_id, $2 account_id, $3 HMAC, $4 ending, $5 direction, $6 name
const createAccount = query(
  'create_statement_account',
  `
  INSERT INTO statement_accounts (environment_id, account_id, account_hmac, ending, direction, name)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT ON CONSTRAINT statement_accounts_hmac_key DO NOTHING
  `,
);

// $1 environment_id, $2 HMACs of each form of the number, under each pepper
const findAccount = query(
  'find_statement_account',
  `
  SELECT a.account_id AS "accountId", a.direction FROM statement_accounts a
   WHERE a.environment_id = $1 AND a.account_hmac = ANY ($2::bytea[])
   ORDER BY a.created_at LIMIT 1
  `,
);

export interface KnownAccount {
  accountId: string;
  direction: 'credit' | 'debit';
}

/** Accounts by the HMACs of their numbers. */
export function createKnownAccountsStore(database: Pick<Database, 'run'>) {
  const find = async (environmentId: number, hmacs: readonly Buffer[]): Promise<KnownAccount | undefined> =>
    (await database.run<KnownAccount>(findAccount, [environmentId, hmacs]))[0];
  return {
    /** @param hmacs of the account number under each pepper */
    find,
    /**
     * Finds the account with this number, or creates it.
     *
     * @param hmacs of the number under each pepper; a new account gets the first one
     */
    async findOrCreate(
      environmentId: number,
      hmacs: readonly Buffer[],
      { accountId, ending, name, direction }: KnownAccount & { ending: string | null; name: string | null },
    ): Promise<KnownAccount> {
      const known = await find(environmentId, hmacs);
      if (known) return known;
      await database.run(createAccount, [environmentId, accountId, hmacs[0], ending, direction, name]);
      // A concurrent upload may have created the account.
      return (await find(environmentId, hmacs)) ?? { accountId, direction };
    },
  };
}

export type KnownAccountsStore = ReturnType<typeof createKnownAccountsStore>;
