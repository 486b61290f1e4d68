import type { ContributionStatus } from './contribution-status.field';
import { enableWarnings, query } from '../../db/query';
import { simulatedBank } from '../../shared/simulated-bank';

/**
 * Completes a transaction, records the user's support, appends an event and queues the change of
 * the project's figures. The function `complete_contribution` of the database does this in one
 * query: it checks the caller's key pair, decides, and updates the row.
 *
 * It updates the row only while it is pending, so exactly one of several concurrent queries
 * completes it. The others change nothing. Their retry finds the transaction completed.
 *
 * $1 caller's environment_id, $2 caller's api_key, $3 tag, $4 transaction_id, $5 amount_cents or
 * null, $6 bank_reference or null, $7 value_date or null, $8 event_id
 */
export const completeContribution = query(
  'complete_transaction',
  `
  SELECT caller_is_live, is_completed_now, was_completed_before, status_before, is_permitted, is_anothers,
         amount_differs, ${enableWarnings}
    FROM complete_contribution($1, $2, $3, $4, $5, $6, $7, $8)
  `,
  { isEssential: true, writes: true },
);

/**
 * The same decision for the simulated bank, which has no key pair.
 *
 * $1 environment_id of the contribution, $2 transaction_id, $3 amount_cents, $4 bank_reference, $5
 * value_date, $6 event_id
 */
export const completeAsSimulatedBank = query(
  'complete_transaction_simulated',
  `
  SELECT true AS caller_is_live, is_completed_now, was_completed_before, status_before, is_permitted, is_anothers,
         amount_differs, ${enableWarnings}
    FROM complete_contribution_of($1, ${simulatedBank.environmentId}, '${simulatedBank.apiKey}', $2, $3, $4, $5, $6)
  `,
  { writes: true },
);

/** Exactly one row. The last four columns are null if the caller cannot see such a transaction. */
export interface CompleteContributionRow {
  /** Null if the caller's company is frozen. */
  caller_is_live: boolean | null;
  is_completed_now: boolean;
  was_completed_before: boolean;
  /** `undone` and `barred`: completed, and the net amount is zero. */
  status_before: ContributionStatus | 'undone' | 'barred' | null;
  is_permitted: boolean | null;
  /** Whether another environment completed the transaction. */
  is_anothers: boolean | null;
  amount_differs: boolean | null;
}
