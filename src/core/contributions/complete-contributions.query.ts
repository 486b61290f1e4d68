import { enableWarnings, query } from '../../db/query';
import type { CompleteOutcome } from './contribution';

/**
 * Completes contributions of one environment, each id at most once, in one query. Each is
 * decided and recorded as a single completion is. A dry run changes nothing.
 *
 * $1 caller's environment_id, $2 caller's api_key, $3 tag, $4 transaction_ids, $5 amounts_cents,
 * $6 bank_references, $7 value_dates, $8 event_ids, $9 whether this is a dry run
 */
export const completeContributions = query(
  'complete_transactions',
  `
  SELECT caller_is_live, outcomes, ${enableWarnings}
    FROM complete_contributions($1, $2, $3, $4, $5, $6, $7, $8, $9)
  `,
  { writes: true },
);

/** Exactly one row. */
export interface CompleteContributionsRow {
  /** Null if the caller's company is frozen. */
  caller_is_live: boolean | null;
  /** In the order of the ids. Null: a concurrent call completed the contribution. */
  outcomes: (Exclude<CompleteOutcome, 'caller_not_live'> | null)[];
}
