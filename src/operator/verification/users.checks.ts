import { check, problemsOf } from './verification-check';

/** Checks the supports of users for projects, and the data of forgotten users. */
export const userChecks = [
  check(
    'support-agrees',
    'environment',
    'supports',
    'A user supports the projects of their completed transactions, with the times of the first and last completion. The support has ended if all of them were returned or corrected. A forgotten user supports none.',
    `
    WITH given AS (
      SELECT t.user_id, t.project_id, min(t.completed_at) AS first_at, max(t.completed_at) AS last_at,
             bool_or(t.counts) AS is_supporter
        FROM (
          SELECT t.environment_id, t.user_id, t.project_id, t.completed_at,
                 t.returned_cents < t.amount_cents AND t.corrected_at IS NULL AS counts
            FROM transactions t WHERE t.environment_id = $1 AND t.status = 'completed'
           UNION ALL
          SELECT t.environment_id, t.user_id, t.project_id, c.completed_at, false
            FROM corrections c
            JOIN transactions t ON t.environment_id = c.environment_id AND t.transaction_id = c.transaction_id
           WHERE c.environment_id = $1
        ) AS t
        LEFT JOIN users u ON u.environment_id = t.environment_id AND u.user_id = t.user_id
       WHERE u.forgotten_at IS NULL
       GROUP BY t.user_id, t.project_id
    ),
    recorded AS (
      SELECT s.user_id, s.project_id, s.first_supported_at, s.last_supported_at, s.ended_at
        FROM supports s WHERE s.environment_id = $1
    )
    SELECT $1::integer AS environment_id, user_id, project_id, ${problemsOf({
      'the support of a completed transaction is missing': `recorded.first_supported_at IS NULL`,
      'the support has no completed transaction, or its user is forgotten': `given.first_at IS NULL`,
      'the times of the support do not match its completed transactions': `
        (given.first_at, given.last_at) <> (recorded.first_supported_at, recorded.last_supported_at)`,
      'the support has ended although a completed transaction was not fully returned': `
        given.is_supporter AND recorded.ended_at IS NOT NULL`,
      'the support has not ended although all completed transactions were returned': `
        NOT given.is_supporter AND recorded.first_supported_at IS NOT NULL AND recorded.ended_at IS NULL`,
    })} AS problem
      FROM given FULL JOIN recorded USING (user_id, project_id)`,
  ),
  check(
    'forgotten-user-emptied',
    'environment',
    'users',
    'A forgotten user has no hash, name or story view.',
    `
    SELECT u.environment_id, u.user_id, 'a forgotten user still has data' AS problem
      FROM users u
     WHERE u.environment_id = $1 AND u.forgotten_at IS NOT NULL
       AND (u.user_hash IS NOT NULL OR u.first_name IS NOT NULL OR EXISTS (
         SELECT FROM story_views v WHERE v.environment_id = u.environment_id AND v.user_id = u.user_id))`,
  ),
];
