import type { ContributionStatus } from './contribution-status.field';
import { enableWarnings, statement } from '../../db/statement';
import { nearestTransaction } from './nearest-transaction';
import { mayComplete } from './contribution-rights';

/**
 * One guarded statement that completes a transaction, records the user's support, appends an event
 * and queues the change of the project's figures.
 *
 * It updates the row only while it is pending, so exactly one of several concurrent statements
 * completes it. The others change nothing; a retry of them finds the transaction completed.
 *
 * $1 caller's environment_id, $2 caller's api_key, $3 tag, $4 transaction_id, $5 amount_cents or
 * null, $6 bank_reference or null, $7 value_date or null, $8 event_id
 */
export const completeContribution = statement(
  'complete_transaction',
  `
  WITH caller AS (
    -- Authentication may have used a cached pair. This check stops a pair that was revoked since.
    SELECT k.api_key FROM key_pairs k
     WHERE k.api_key = $2 AND k.environment_id = $1
       AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
  ),
  ${nearestTransaction('$3', '$4')},
  target AS (
    SELECT t.environment_id, t.transaction_id, t.user_id, t.project_id, t.status, t.bank_reference, t.value_date,
           ${mayComplete} AS is_permitted,
           COALESCE(t.completed_by_environment_id <> $1, false) AS is_anothers,
           COALESCE($5::bigint <> t.amount_cents, false) AS amount_differs
      FROM judged t
     WHERE t.is_visible AND t.transaction_id = $4 AND EXISTS (SELECT FROM caller)
  ),
  completed AS (
    UPDATE transactions t
       SET status = 'completed',
           completed_at = GREATEST(clock_timestamp(), t.created_at),
           completed_by_environment_id = $1,
           completed_by_api_key = $2,
           bank_reference = $6,
           value_date = $7::date
      FROM target
     WHERE t.environment_id = target.environment_id AND t.transaction_id = target.transaction_id
       AND t.status = 'pending' AND target.is_permitted AND NOT target.amount_differs
    RETURNING t.environment_id, t.transaction_id, t.user_id, t.project_id, t.amount_cents, t.completed_at
  ),
  completed_before AS (
    -- A row lock is a write, so a repeated response also waits for the synchronous standby.
    SELECT t.transaction_id
      FROM target JOIN transactions t USING (environment_id, transaction_id)
     WHERE target.status = 'completed' AND target.is_permitted
       AND NOT target.is_anothers AND NOT target.amount_differs
       FOR KEY SHARE OF t
  ),
  remembered AS (
    -- The lock waits for a transaction that is forgetting this user, and then sees forgotten_at.
    SELECT completed.environment_id, completed.user_id, completed.project_id, completed.completed_at
      FROM completed
      JOIN users u ON u.environment_id = completed.environment_id AND u.user_id = completed.user_id
     WHERE u.forgotten_at IS NULL
       FOR KEY SHARE OF u
  ),
  support AS (
    INSERT INTO supports (environment_id, user_id, project_id, first_supported_at, last_supported_at)
    SELECT environment_id, user_id, project_id, completed_at, completed_at FROM remembered
    ON CONFLICT ON CONSTRAINT supports_pkey DO UPDATE
       SET last_supported_at = GREATEST(supports.last_supported_at, EXCLUDED.last_supported_at),
           first_supported_at = LEAST(supports.first_supported_at, EXCLUDED.first_supported_at)
    -- xmax is 0 for an inserted row. An updated row was locked first, which sets xmax.
    RETURNING xmax = 0 AS is_new
  ),
  figures AS (
    INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters)
    SELECT completed.environment_id, completed.project_id, completed.amount_cents,
           (SELECT count(*) FROM support WHERE support.is_new)
      FROM completed
  ),
  happened AS (
    SELECT completed.environment_id, completed.transaction_id, 'contribution.completed' AS type FROM completed
    UNION ALL
    -- If the amount differs as well, the contest takes precedence. The evidence has the amount.
    SELECT target.environment_id, target.transaction_id, 'contribution.completion_contested'
      FROM target WHERE target.is_permitted AND target.is_anothers
    UNION ALL
    SELECT target.environment_id, target.transaction_id, 'contribution.completion_refused'
      FROM target WHERE target.is_permitted AND NOT target.is_anothers AND target.amount_differs
    UNION ALL
    SELECT target.environment_id, target.transaction_id, 'contribution.completion_repeated'
      FROM target
     WHERE target.is_permitted AND NOT target.is_anothers AND NOT target.amount_differs AND target.status = 'completed'
       AND (($6::text IS NOT NULL AND target.bank_reference IS DISTINCT FROM $6)
            OR ($7::date IS NOT NULL AND target.value_date IS DISTINCT FROM $7::date))
  ),
  event AS (
    INSERT INTO events (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence)
    SELECT happened.environment_id, $8, happened.transaction_id, happened.type, $1, $2,
           jsonb_strip_nulls(jsonb_build_object(
             'amount_cents', $5::bigint, 'bank_reference', $6::text, 'value_date', $7::date))
      FROM happened
  )
  SELECT EXISTS (SELECT FROM caller) AS caller_is_live,
         EXISTS (SELECT FROM completed) AS is_completed_now,
         EXISTS (SELECT FROM completed_before) AS was_completed_before,
         target.status AS status_before,
         target.is_permitted,
         target.is_anothers,
         target.amount_differs,
         ${enableWarnings}
    FROM (VALUES (true)) AS always LEFT JOIN target ON true
  `,
  { isEssential: true },
);

/** Exactly one row. The last four columns are null if the caller cannot see such a transaction. */
export interface CompleteContributionRow {
  caller_is_live: boolean;
  is_completed_now: boolean;
  was_completed_before: boolean;
  status_before: ContributionStatus | null;
  is_permitted: boolean | null;
  /** Another environment completed the transaction. */
  is_anothers: boolean | null;
  amount_differs: boolean | null;
}
