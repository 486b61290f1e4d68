import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import type { StatementHead, StatementLine } from '../rules/reading/statement';
import type { AccountDay } from './account-day';

// $1 environment_id, $2 account_id, $3 day
const readVersion = query(
  'read_day_version',
  `
  SELECT d.version, d.format, d.problem, d.statement_ids, d.opening_cents, d.closing_cents, a.direction, EXISTS (
           SELECT FROM closed_months m
            WHERE m.environment_id = $1 AND m.month = date_trunc('month', $3::date)::date) AS is_closed, (
           SELECT b.closing_cents FROM account_days b
            WHERE b.environment_id = $1 AND b.account_id = $2 AND b.day < $3::date AND b.version IS NOT NULL
            ORDER BY b.day DESC LIMIT 1) AS closing_before
    FROM account_days d
    JOIN statement_accounts a ON a.environment_id = d.environment_id AND a.account_id = d.account_id
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date
  `,
);

/** What the lines of a day depend on, besides other lines. */
export interface StoredVersion {
  version: string | null;
  format: StatementHead['format'] | null;
  problem: 'unbalanced' | 'incomplete' | null;
  statementIds: string[];
  /** Whether the day starts with the closing balance of the day before. */
  isContinued: boolean;
  /** Whether it has both balances. */
  hasBalances: boolean;
  /** Whether its month is closed. */
  isClosed: boolean;
  accountDirection: StatementLine['direction'];
}

export function createStoredVersionStore(database: Pick<Database, 'run'>) {
  return {
    /** Undefined if the account has no such day. */
    async version(day: AccountDay): Promise<StoredVersion | undefined> {
      const [row] = await database.run<{
        version: string | null;
        format: StatementHead['format'] | null;
        problem: StoredVersion['problem'];
        statement_ids: string[];
        opening_cents: string | null;
        closing_cents: string | null;
        direction: StoredVersion['accountDirection'];
        is_closed: boolean;
        closing_before: string | null;
      }>(readVersion, [day.environmentId, day.accountId, day.day]);
      return (
        row && {
          ...{
            version: row.version,
            format: row.format,
            problem: row.problem,
            statementIds: row.statement_ids,
          },
          isContinued: row.opening_cents !== null && row.opening_cents === row.closing_before,
          hasBalances: row.opening_cents !== null && row.closing_cents !== null,
          isClosed: row.is_closed,
          accountDirection: row.direction,
        }
      );
    },
  };
}
