import type { Database } from '../../db/pool/database';
import { statement } from '../../db/statement';

export interface AccountRow {
  account_id: string;
  ending: string | null;
  direction: 'credit' | 'debit';
  complete_coverage: boolean;
  grace_days: number;
  created_at: Date;
}

const columns = 'a.account_id, a.ending, a.direction, a.complete_coverage, a.grace_days, a.created_at';

// Ids are ordered by time. $1 environment_id, $2 after this account_id or null, $3 the number
const listAccounts = statement(
  'list_statement_accounts',
  `
  SELECT ${columns} FROM statement_accounts a
   WHERE a.environment_id = $1 AND ($2::uuid IS NULL OR a.account_id > $2::uuid)
   ORDER BY a.account_id LIMIT $3::integer
  `,
);

// $1 environment_id, $2 account_id, $3 complete_coverage, $4 grace_days
const setAccount = statement(
  'set_statement_account',
  `
  UPDATE statement_accounts a SET complete_coverage = $3, grace_days = $4
   WHERE a.environment_id = $1 AND a.account_id = $2
  RETURNING ${columns}
  `,
);

export interface StatementAccountsStore {
  list(environmentId: number, after: string | undefined, limit: number): Promise<AccountRow[]>;
  /** @returns undefined if the environment has no such account */
  set(
    environmentId: number,
    accountId: string,
    settings: { completeCoverage: boolean; graceDays: number },
  ): Promise<AccountRow | undefined>;
}

export function createStatementAccountsStore(database: Pick<Database, 'run'>): StatementAccountsStore {
  return {
    list: (environmentId, after, limit) => database.run(listAccounts, [environmentId, after ?? null, limit]),
    async set(environmentId, accountId, { completeCoverage, graceDays }) {
      const [row] = await database.run<AccountRow>(setAccount, [
        environmentId,
        accountId,
        completeCoverage,
        graceDays,
      ]);
      return row;
    },
  };
}
