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

// $1 environment_id, $2 account_id, $3 first day, $4 last day
const sumTerms = query(
  'sum_terms_of_account',
  `
  SELECT o.term, sum(o.term_cents)::text AS term_cents, sum(o.fee_cents)::text AS fee_cents, count(*)::integer AS lines,
         (count(*) FILTER (WHERE o.fee_cents <> 0))::integer AS lines_with_fee,
         (count(*) FILTER (WHERE d.version IS NULL))::integer AS reported_lines
    FROM account_days d
    JOIN line_outcomes o ON o.environment_id = $1 AND o.account_id = $2 AND o.day = d.day
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day BETWEEN $3::date AND $4::date
     AND o.entry_id IS NOT NULL
   GROUP BY o.term
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
