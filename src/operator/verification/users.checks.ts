import { check, problemsOf } from './verification-check';

/** What follows from the completed transactions, and what a forgotten user leaves. */
export const userChecks = [
  check(
    'support-agrees',
    'environment',
    'supports',
    'A user supports the projects of their completed transactions, from the first completion to the last; a forgotten user none.',
    `
    WITH given AS (
      SELECT t.user_id, t.project_id, min(t.completed_at) AS first_at, max(t.completed_at) AS last_at
        FROM transactions t
        LEFT JOIN users u ON u.environment_id = t.environment_id AND u.user_id = t.user_id
       WHERE t.environment_id = $1 AND t.status = 'completed' AND u.forgotten_at IS NULL
       GROUP BY t.user_id, t.project_id
    ),
    recorded AS (
      SELECT s.user_id, s.project_id, s.first_supported_at, s.last_supported_at
        FROM supports s WHERE s.environment_id = $1
    )
    SELECT $1::integer AS environment_id, user_id, project_id, ${problemsOf({
      'a completed transaction without its support': `recorded.first_supported_at IS NULL`,
      'a support without a completed transaction of a user who is remembered': `given.first_at IS NULL`,
      'a support with other times than its completed transactions': `
        (given.first_at, given.last_at) <> (recorded.first_supported_at, recorded.last_supported_at)`,
    })} AS problem
      FROM given FULL JOIN recorded USING (user_id, project_id)`,
  ),
  check(
    'forgotten-user-emptied',
    'environment',
    'users',
    'Of a forgotten user no hash, name or story view is left.',
    `
    SELECT u.environment_id, u.user_id, 'something is left of a forgotten user' AS problem
      FROM users u
     WHERE u.environment_id = $1 AND u.forgotten_at IS NOT NULL
       AND (u.user_hash IS NOT NULL OR u.first_name IS NOT NULL OR EXISTS (
         SELECT FROM story_views v WHERE v.environment_id = u.environment_id AND v.user_id = u.user_id))`,
  ),
];
