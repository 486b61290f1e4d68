import { enableWarnings, statement } from '../../db/statement';

/**
 * Records a contribution, its user and its event, or finds the earlier contribution with the same
 * idempotency key. One statement, so it commits everything or nothing.
 *
 * Unique keys prevent duplicates when two of these statements run concurrently: the second waits
 * for the first. Then it inserts no user, or fails as a whole because of the duplicate transaction.
 * A failed statement leaves neither a user nor a name behind, and a retry finds the committed rows.
 *
 * $1 environment_id, $2 transaction_id, $3 project_id, $4 amount_cents, $5 user_hash, $6 first_name
 * or null, $7 idempotency_key or null, $8 api_key, $9 event_id
 */
export const createContribution = statement(
  'create_transaction',
  `
  WITH earlier AS (
    SELECT t.transaction_id,
           -- A forgotten user has no hash to compare, so only project and amount are compared.
           t.project_id = $3::bigint AND t.amount_cents = $4::bigint
             AND (u.forgotten_at IS NOT NULL OR u.user_hash IS NOT DISTINCT FROM $5) AS same_request
      FROM transactions t
      JOIN users u ON u.environment_id = t.environment_id AND u.user_id = t.user_id
     WHERE t.environment_id = $1 AND t.idempotency_key = $7
       -- A row lock is a write, so a repeated response also waits for the synchronous standby.
       FOR KEY SHARE OF t
  ),
  company AS (
    SELECT c.suspended_at IS NOT NULL AS is_suspended
      FROM environments e JOIN companies c USING (company_id)
     WHERE e.environment_id = $1
  ),
  project AS (
    SELECT p.project_id, p.status FROM projects p WHERE p.project_id = $3::bigint
  ),
  accepted AS (
    SELECT project.project_id
      FROM project CROSS JOIN company
     WHERE project.status = 'active' AND NOT company.is_suspended AND NOT EXISTS (SELECT FROM earlier)
  ),
  known_user AS (
    SELECT u.user_id, u.first_name FROM users u WHERE u.environment_id = $1 AND u.user_hash = $5
  ),
  new_user AS (
    INSERT INTO users (environment_id, user_hash, first_name)
    SELECT $1, $5, $6 FROM accepted WHERE NOT EXISTS (SELECT FROM known_user)
    ON CONFLICT ON CONSTRAINT users_user_hash_key DO NOTHING
    RETURNING user_id
  ),
  created AS (
    INSERT INTO transactions
      (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status,
       idempotency_key, created_by_api_key, created_at)
    SELECT $1, $2, giver.user_id, accepted.project_id, $4, 'USD', 'pending', $7, $8, clock_timestamp()
      FROM accepted CROSS JOIN (SELECT user_id FROM known_user UNION ALL SELECT user_id FROM new_user) AS giver
    RETURNING transaction_id, project_id, amount_cents
  ),
  renamed_user AS (
    UPDATE users u SET first_name = $6
      FROM known_user, accepted
     WHERE u.environment_id = $1 AND u.user_hash = $5
       AND $6::text IS NOT NULL AND known_user.first_name IS DISTINCT FROM $6
  ),
  event AS (
    INSERT INTO events (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence)
    SELECT $1, $9, created.transaction_id, 'contribution.created', $1, $8,
           jsonb_build_object('project_id', created.project_id, 'amount_cents', created.amount_cents)
      FROM created
  )
  SELECT created.transaction_id AS created_id,
         earlier.transaction_id AS earlier_id,
         earlier.same_request,
         company.is_suspended,
         project.status AS project_status,
         ${enableWarnings}
    FROM company
    LEFT JOIN project ON true
    LEFT JOIN earlier ON true
    LEFT JOIN created ON true
  `,
  { isEssential: true },
);

/**
 * Exactly one row. If only the last two columns have values, a concurrent statement won: run it
 * again.
 */
export interface CreateContributionRow {
  created_id: string | null;
  earlier_id: string | null;
  same_request: boolean | null;
  is_suspended: boolean;
  project_status: 'active' | 'archived' | null;
}
