import type { Database } from '../../../../db/pool/database';
import { query } from '../../../../db/query';
import type { Term } from '../../rules/days/reconciliation';

/** What the lines of a term add up to. Signed cents as text. */
export interface TermSum {
  /** Null for lines that belong to no balance, such as those that are not booked. */
  term: Term | null;
  term_cents: string;
  /** What they add to the charges besides. */
  fee_cents: string;
  lines: number;
  lines_with_fee: number;
  /** The lines on days without a version: of reports and notifications. */
  reported_lines: number;
}

// One day after the other, because the planner would read all days for each of them. The condition
// on the bucket makes the key the only index that fits.
// $1 environment_id, $2 account_id, $3 first day, $4 last day
const sumTerms = query(
  'sum_terms_of_account',
  `
  SELECT n.term, sum(n.term_cents)::text AS term_cents, sum(n.fee_cents)::text AS fee_cents, sum(n.lines)::integer AS lines,
         sum(n.lines_with_fee)::integer AS lines_with_fee,
         COALESCE(sum(n.lines) FILTER (WHERE d.version IS NULL), 0)::integer AS reported_lines
    FROM account_days d
   CROSS JOIN LATERAL (
     SELECT o.term, sum(o.term_cents) AS term_cents, sum(o.fee_cents) AS fee_cents, count(*) AS lines,
            count(*) FILTER (WHERE o.fee_cents <> 0) AS lines_with_fee
       FROM line_outcomes o
      WHERE o.environment_id = $1 AND o.account_id = $2 AND o.day = d.day AND o.bucket BETWEEN 0 AND 1023
        AND o.entry_id IS NOT NULL
      GROUP BY o.term
   ) AS n
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day BETWEEN $3::date AND $4::date
   GROUP BY n.term
  `,
);

export function createTermSumsStore(database: Pick<Database, 'run'>) {
  return {
    /** The sums of the lines of some days, inclusive. */
    sums: (environmentId: number, accountId: string, from: string, to: string): Promise<TermSum[]> =>
      database.run(sumTerms, [environmentId, accountId, from, to]),
  };
}

export type TermSumsStore = ReturnType<typeof createTermSumsStore>;
