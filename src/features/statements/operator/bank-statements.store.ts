import type { Queries } from '../../../db/operator-transaction';
import { matchingRules } from '../matching/matching-rules';
import { unexplainedOutcomes } from './unexplained-outcomes';

/** Entries of one file with the same outcome. */
export interface OutcomeCount {
  outcome: string;
  isDecided: boolean;
  entries: number;
}

/** Entries that pay no contribution and have no decision. */
export interface UnexplainedEntries {
  outcome: string;
  reason: string | null;
  direction: string;
  currency: string;
  entries: number;
  /** Null if no amount can be read. */
  cents: string | null;
}

export type BankStatementsStore = ReturnType<typeof createBankStatementsStore>;

/** $1 environment_id, $2 file_id */
const isInFile = (entry: string): string =>
  `EXISTS (SELECT FROM entry_sources o WHERE o.environment_id = $1 AND o.file_id = $2 AND o.class_key = ${entry}.class_key)`;

export function createBankStatementsStore(database: Queries) {
  return {
    countOutcomes: (environmentId: number, fileId: string) =>
      database.runUnprepared<OutcomeCount>(
        `SELECT e.outcome, e.is_decided AS "isDecided", count(*)::integer AS entries
           FROM statement_entries e
          WHERE e.environment_id = $1 AND e.standing <> 'absent' AND ${isInFile('e')}
          GROUP BY e.outcome, e.is_decided ORDER BY e.outcome, e.is_decided`,
        [environmentId, fileId],
      ),

    /**
     * Counts contributions that entries of the file pay or return, and whose money differs from
     * their amount. It excludes returned contributions and those with a decision.
     */
    async countDifferences(environmentId: number, fileId: string) {
      const [row] = await database.runUnprepared<{ differences: number }>(
        `SELECT count(*)::integer AS differences
           FROM statement_money m
          WHERE m.environment_id = $1 AND NOT m.is_decided
            AND CASE WHEN m.gross_cents = 0 THEN m.returned_cents > 0
                     WHEN m.gross_cents <= m.returned_cents THEN false
                     WHEN m.gross_cents - m.returned_cents < m.expected_cents THEN m.gross_cents <> m.expected_cents
                     ELSE m.gross_cents - m.returned_cents > m.expected_cents END
            AND m.transaction_id IN (
              SELECT a.transaction_id FROM allocations a
                JOIN statement_entries e ON e.environment_id = a.environment_id AND e.entry_id = a.entry_id
               WHERE a.environment_id = $1 AND a.state = 'confirmed' AND ${isInFile('e')})`,
        [environmentId, fileId],
      );
      return row?.differences ?? 0;
    },

    /** The entries of the days from `from` to before `to`, and the entries without a date. */
    unexplained: (environmentId: number, from: string, to: string) =>
      database.runUnprepared<UnexplainedEntries>(
        `SELECT e.outcome, e.reason, e.direction, e.currency, count(*)::integer AS entries,
                sum(e.amount_cents)::text AS cents
           FROM statement_entries e
          WHERE e.environment_id = $1 AND e.standing <> 'absent' AND NOT e.is_decided AND e.outcome = ANY ($4::text[])
            AND (e.booking_date IS NULL OR (e.booking_date >= $2::date AND e.booking_date < $3::date))
          GROUP BY e.outcome, e.reason, e.direction, e.currency
          ORDER BY e.outcome, e.reason, e.direction, e.currency`,
        [environmentId, from, to, unexplainedOutcomes],
      ),

    /**
     * Files whose entries are not all matched or were matched by earlier rules, or whose upload was
     * interrupted.
     */
    async countUnmatched(environmentId: number) {
      const [row] = await database.runUnprepared<{ files: number }>(
        `SELECT count(*)::integer AS files FROM statement_files f
          WHERE f.environment_id = $1
            AND (f.state = 'stored' OR (f.voided_at IS NULL AND (f.state = 'receiving' OR f.rules < $2)))`,
        [environmentId, matchingRules],
      );
      return row?.files ?? 0;
    },
  };
}
