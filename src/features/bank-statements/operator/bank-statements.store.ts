import type { Queries } from '../../../db/operator-transaction';
import { isToExplain } from '../reporting/lines/to-explain.query';

/** Lines of one file with the same outcome. */
export interface OutcomeCount {
  /** `replaced` for lines that another statement has instead. */
  outcome: string;
  entries: number;
  /** Those that a person must look at. */
  toExplain: number;
}

/** Lines that pay no contribution and have no decision. */
export interface UnexplainedEntries {
  outcome: string;
  reason: string | null;
  direction: string;
  entries: number;
  /** Null if the lines have no amount in US dollars. */
  cents: string | null;
}

/** What the service has still to do. Positions may change until then. */
export interface WorkLeft {
  /** Files that are not read. */
  files: number;
  /** Days of accounts whose lines are not compared. */
  days: number;
}

export type BankStatementsStore = ReturnType<typeof createBankStatementsStore>;

export function createBankStatementsStore(database: Queries) {
  return {
    countOutcomes: (environmentId: number, fileId: string) =>
      database.runUnprepared<OutcomeCount>(
        `SELECT COALESCE(o.outcome, o.state) AS outcome, count(*)::integer AS entries,
                (count(*) FILTER (WHERE ${isToExplain}))::integer AS "toExplain"
           FROM bank_statements s
           JOIN line_outcomes o ON o.environment_id = $1 AND o.account_id = s.account_id
            AND o.day BETWEEN s.first_day AND s.last_day AND o.statement_id = s.statement_id
          WHERE s.environment_id = $1 AND s.file_id = $2 AND s.voided_at IS NULL
          GROUP BY COALESCE(o.outcome, o.state) ORDER BY COALESCE(o.outcome, o.state)`,
        [environmentId, fileId],
      ),

    /** The lines of the days from `from` to before `to`. */
    unexplained: (environmentId: number, from: string, to: string) =>
      database.runUnprepared<UnexplainedEntries>(
        `SELECT o.outcome, o.reason, o.direction, count(*)::integer AS entries,
                CASE WHEN o.outcome NOT IN ('other_currency', 'unreadable') THEN sum(o.amount_cents)::text END AS cents
           FROM line_outcomes o
          WHERE o.environment_id = $1 AND ${isToExplain} AND o.day >= $2::date AND o.day < $3::date
          GROUP BY o.outcome, o.reason, o.direction
          ORDER BY o.outcome, o.reason, o.direction`,
        [environmentId, from, to],
      ),

    async workLeft(environmentId: number): Promise<WorkLeft> {
      const [row] = await database.runUnprepared<WorkLeft>(
        `SELECT (SELECT count(*) FROM statement_uploads u
                  WHERE u.environment_id = $1 AND u.state IN ('received', 'reading'))::integer AS files,
                (SELECT count(*) FROM account_days d WHERE d.environment_id = $1 AND d.has_work)::integer AS days`,
        [environmentId],
      );
      return row ?? { files: 0, days: 0 };
    },
  };
}
