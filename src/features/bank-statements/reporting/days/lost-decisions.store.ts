import type { Database } from '../../../../db/pool/database';
import { query } from '../../../../db/query';
import { isOwnAccount } from '../../accounts/account-numbers.store';

/** A decision whose line no statement has now, and that moved to no other line. */
export interface LostDecision {
  accountId: string;
  day: string;
  /** Take it back with `undo` about this line. */
  entryId: string;
}

/** The maximum number of decisions in one answer. */
const mostLost = 10_000;

// The newest decision of each line, unless a line has it.
// $1 environment_id, $2 account_id or null for all, $3 first day, $4 last day
const listLost = query(
  'list_decisions_without_line',
  `
  SELECT n.account_id AS "accountId", n.day::text, n.entry_id AS "entryId"
    FROM (
      SELECT DISTINCT ON (l.account_id, l.entry_id) l.account_id, l.entry_id, l.day, l.action
        FROM statement_accounts a
        JOIN line_decisions l ON l.environment_id = a.environment_id AND l.account_id = a.account_id
       WHERE a.environment_id = $1 AND ($2::uuid IS NULL OR a.account_id = $2::uuid) AND ${isOwnAccount}
         AND l.day BETWEEN $3::date AND $4::date
         AND l.action IN ('link', 'split', 'unlink', 'ignore', 'undo')
       ORDER BY l.account_id, l.entry_id, l.number DESC
    ) n
   WHERE n.action <> 'undo'
     AND NOT EXISTS (SELECT FROM line_outcomes o WHERE o.environment_id = $1 AND o.entry_id = n.entry_id)
     AND NOT EXISTS (SELECT FROM line_outcomes o WHERE o.environment_id = $1 AND o.decision_entry_id = n.entry_id)
   ORDER BY n.account_id, n.day, n.entry_id LIMIT ${mostLost}
  `,
);

export function createLostDecisionsStore(database: Pick<Database, 'run'>) {
  return {
    /**
     * At most 10,000, by account and day.
     *
     * @param accountId null for all accounts
     */
    list: (
      environmentId: number,
      accountId: string | null,
      from: string,
      to: string,
    ): Promise<LostDecision[]> => database.run(listLost, [environmentId, accountId, from, to]),
  };
}

export type LostDecisionsStore = ReturnType<typeof createLostDecisionsStore>;
