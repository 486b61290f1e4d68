import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';

export interface AccountRow {
  account_id: string;
  ending: string | null;
  /** The uploader's name for it, if its files state no number. */
  name: string | null;
  direction: 'credit' | 'debit';
  complete_coverage: boolean;
  grace_days: number;
  created_at: Date;
}

const columns =
  'a.account_id, a.ending, a.name, a.direction, a.complete_coverage, a.grace_days, a.created_at';

// Excludes accounts whose files are all voided, because they were uploaded by mistake. Ids are
// ordered by time.
// $1 environment_id, $2 after this account_id or null, $3 the maximum number of rows
const listAccounts = query(
  'list_statement_accounts',
  `
  SELECT ${columns} FROM statement_accounts a
   WHERE a.environment_id = $1 AND ($2::uuid IS NULL OR a.account_id > $2::uuid)
     AND (a.complete_coverage OR EXISTS (
       SELECT 1 FROM statements s
         JOIN statement_files f ON f.environment_id = s.environment_id AND f.file_id = s.file_id
        WHERE s.environment_id = $1 AND s.account_id = a.account_id AND f.voided_at IS NULL))
   ORDER BY a.account_id LIMIT $3::integer
  `,
);

// A changed direction turns returns into payments, so the files of the account are compared again.
// It also invalidates what other processes have read. The lock is FOR NO KEY UPDATE, because
// entries refer to the account while they are stored.
// $1 environment_id, $2 account_id, $3 complete_coverage, $4 grace_days, $5 direction or null
const setAccount = query(
  'set_statement_account',
  `
  WITH changed AS (
    UPDATE statement_accounts a
       SET complete_coverage = $3, grace_days = $4, direction = COALESCE($5::text, a.direction)
      FROM (
        SELECT n.direction FROM statement_accounts n WHERE n.environment_id = $1 AND n.account_id = $2 FOR NO KEY UPDATE
      ) AS earlier
     WHERE a.environment_id = $1 AND a.account_id = $2
    RETURNING ${columns}, a.direction <> earlier.direction AS is_turned
  ), seen AS (
    UPDATE matching_progress p SET seen_directions = p.seen_directions + 1
     WHERE p.environment_id = $1 AND (SELECT c.is_turned FROM changed c)
  ), restored AS (
    UPDATE statement_files f SET state = 'stored', matched_count = 0, claimed_until = NULL
     WHERE f.environment_id = $1 AND f.state <> 'receiving' AND f.voided_at IS NULL
       AND (SELECT c.is_turned FROM changed c)
       AND f.file_id IN (SELECT s.file_id FROM statements s WHERE s.environment_id = $1 AND s.account_id = $2)
  )
  SELECT ${columns} FROM changed a
  `,
);

export interface StatementAccountsStore {
  list(environmentId: number, after: string | undefined, limit: number): Promise<AccountRow[]>;
  /**
   * Changes the settings. Without a direction, the account keeps its own.
   *
   * @returns undefined if the environment has no such account
   */
  set(
    environmentId: number,
    accountId: string,
    settings: {
      completeCoverage: boolean;
      graceDays: number;
      direction: AccountRow['direction'] | undefined;
    },
  ): Promise<AccountRow | undefined>;
}

export function createStatementAccountsStore(database: Pick<Database, 'run'>): StatementAccountsStore {
  return {
    list: (environmentId, after, limit) => database.run(listAccounts, [environmentId, after ?? null, limit]),
    async set(environmentId, accountId, { completeCoverage, graceDays, direction }) {
      const [row] = await database.run<AccountRow>(setAccount, [
        environmentId,
        accountId,
        completeCoverage,
        graceDays,
        direction ?? null,
      ]);
      return row;
    },
  };
}
