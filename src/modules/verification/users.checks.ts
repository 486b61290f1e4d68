import { check } from './verification-check';

/** What follows from the completed transactions, and what a forgotten user leaves. */
export const userChecks = [
  check(
    'support-agrees',
    'environment',
    'A user supports exactly the projects of their completed transactions, from the first completion to the last. A forgotten user supports none.',
    `
    WITH given AS (
      SELECT t.user_id, t.project_id, min(t.completed_at) AS first_at, max(t.completed_at) AS last_at
        FROM transactions t
        LEFT JOIN users u ON u.environment_id = t.environment_id AND u.user_id = t.user_id
       WHERE t.environment_id = $1 AND t.status = 'completed' AND u.forgotten_at IS NULL
       GROUP BY t.user_id, t.project_id
    ),
    recorded AS (
      SELECT s.user_id, s.project_id, s.first_supported_at, s.last_supported_at, count(*) OVER same AS copies
        FROM supports s WHERE s.environment_id = $1
      WINDOW same AS (PARTITION BY s.user_id, s.project_id)
    )
    SELECT $1::integer AS environment_id, user_id, project_id, broken.problem
      FROM given FULL JOIN recorded USING (user_id, project_id)
      CROSS JOIN LATERAL (VALUES
        (recorded.copies IS NULL, 'a completed transaction without its support'),
        (given.first_at IS NULL, 'a support without a completed transaction of a user who is remembered'),
        (recorded.copies > 1, 'a support that is there more than once'),
        ((given.first_at, given.last_at) <> (recorded.first_supported_at, recorded.last_supported_at),
         'a support with other times than its completed transactions')
      ) AS broken (is_broken, problem)
     WHERE broken.is_broken`,
  ),
  check(
    'forgotten-user-emptied',
    'environment',
    'Of a forgotten user no hash, name or story view is left.',
    `
    SELECT u.environment_id, u.user_id, 'something is left of a forgotten user' AS problem
      FROM users u
     WHERE u.environment_id = $1 AND u.forgotten_at IS NOT NULL
       AND (u.user_hash IS NOT NULL OR u.first_name IS NOT NULL OR EXISTS (
         SELECT FROM story_views v WHERE v.environment_id = u.environment_id AND v.user_id = u.user_id))`,
  ),
  check(
    'user-once',
    'environment',
    'One user for one user_hash of an environment.',
    `
    SELECT u.environment_id, min(u.user_id) AS user_id,
           'one user_hash with ' || string_agg(u.user_id::text, ', ' ORDER BY u.user_id) AS problem
      FROM users u
     WHERE u.environment_id = $1 AND u.user_hash IS NOT NULL
     GROUP BY u.environment_id, u.user_hash
    HAVING count(*) > 1`,
  ),
];
