import { enableWarnings, query } from '../../db/query';

/**
 * Records a contribution, its user and its event, or finds the earlier contribution with the same
 * idempotency key. The function `create_contribution` of the database does this in one query,
 * so it commits everything or nothing.
 *
 * Unique keys prevent duplicates when two of these queries run concurrently: the second waits
 * for the first. Then it inserts no user, or fails as a whole because of the duplicate transaction.
 * A failed query leaves neither a user nor a name behind, and a retry finds the committed rows.
 *
 * $1 environment_id, $2 transaction_id, $3 project_id, $4 amount_cents, $5 user_hash, $6 first_name
 * or null, $7 idempotency_key or null, $8 api_key, $9 event_id
 */
export const createContribution = query(
  'create_transaction',
  `
  SELECT created_id, earlier_id, same_request, is_suspended, project_status, ${enableWarnings}
    FROM create_contribution($1, $2, $3, $4, $5, $6, $7, $8, $9)
  `,
  { isEssential: true, writes: true },
);

/**
 * Exactly one row. If only the last two columns have values, a concurrent query won: run it
 * again. If no column has a value, a reset has retired the environment. If only same_request has
 * one, the company is frozen.
 */
export interface CreateContributionRow {
  created_id: string | null;
  earlier_id: string | null;
  same_request: boolean | null;
  is_suspended: boolean | null;
  project_status: 'active' | 'archived' | null;
}
