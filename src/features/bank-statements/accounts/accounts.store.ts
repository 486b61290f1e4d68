import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import { allBuckets } from '../days/buckets';

/** What a person sets about an account. Without a direction, the account keeps its own. */
export interface AccountSettings {
  completeCoverage: boolean;
  graceDays: number;
  direction: 'credit' | 'debit' | undefined;
}

// A changed direction turns returns into payments, so all lines are compared again. The days are
// locked in their order.
// $1 environment_id, $2 account_id, $3 complete_coverage, $4 grace_days, $5 direction or null,
// $6 all buckets
const setAccount = query(
  'set_account_settings',
  `
  WITH earlier AS (
    SELECT n.direction FROM statement_accounts n
     WHERE n.environment_id = $1 AND n.account_id = $2 FOR NO KEY UPDATE
  ), changed AS (
    UPDATE statement_accounts a
       SET complete_coverage = $3, grace_days = $4, direction = COALESCE($5::text, a.direction)
      FROM earlier e
     WHERE a.environment_id = $1 AND a.account_id = $2
    RETURNING a.account_id, a.direction <> e.direction AS is_turned
  ), days AS (
    SELECT d.day FROM account_days d
     WHERE d.environment_id = $1 AND d.account_id = $2 AND (SELECT c.is_turned FROM changed c)
     ORDER BY d.day FOR NO KEY UPDATE
  ), marked AS (
    UPDATE account_days d SET waiting = $6::bit(1024)
     WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day IN (SELECT n.day FROM days n)
  )
  SELECT c.account_id FROM changed c
  `,
);

/** The settings of accounts. */
export function createAccountsStore(database: Pick<Database, 'run'>) {
  return {
    /** @returns false if the environment has no such account */
    async set(environmentId: number, accountId: string, settings: AccountSettings): Promise<boolean> {
      const { completeCoverage, graceDays, direction } = settings;
      const values = [environmentId, accountId, completeCoverage, graceDays, direction ?? null, allBuckets];
      return (await database.run(setAccount, values)).length > 0;
    },
  };
}

export type AccountsStore = ReturnType<typeof createAccountsStore>;
