import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';

/** One element of the main component (specification 2.1). */
export interface ProjectSummary {
  projectId: number;
  name: string;
  /** An absolute URL, or a path on this service. */
  imageUrl: string;
  isSupported: boolean;
  hasStories: boolean;
  hasUnviewedStories: boolean;
}

export type ProjectsStoriesReadModel = ReturnType<typeof createProjectsStoriesReadModel>;

/**
 * $1 environment_id, $2 user_hash or null.
 *
 * The query reads the user's own rows and four new projects. PostgreSQL executes NOT IN with
 * one hash of the user's supports, and finds views by primary key. The planner may misjudge how
 * many projects a user supports. Even then, it never chooses a nested loop over all of them.
 */
export const readMainComponent = query(
  'read_main_component',
  `
  WITH supported AS (
    SELECT s.user_id, s.project_id, s.last_supported_at
      FROM users u
      JOIN supports s ON s.environment_id = u.environment_id AND s.user_id = u.user_id
     WHERE u.environment_id = $1 AND u.user_hash = $2 AND s.ended_at IS NULL
  ),
  listed AS (
    SELECT supported.user_id, supported.project_id, supported.last_supported_at, true AS is_supported
      FROM supported
    UNION ALL
    (SELECT (SELECT u.user_id FROM users u WHERE u.environment_id = $1 AND u.user_hash = $2), p.project_id, NULL, false
       FROM projects p
      WHERE p.status = 'active' AND p.project_id NOT IN (SELECT supported.project_id FROM supported)
      ORDER BY p.rank, p.project_id
      LIMIT 4)
  )
  SELECT p.project_id AS "projectId", p.project_name AS name, p.project_image_url AS "imageUrl",
         listed.is_supported AS "isSupported", NOT isempty(p.published_story_numbers) AS "hasStories",
         NOT p.published_story_numbers <@ COALESCE(views.viewed_story_numbers, '{}') AS "hasUnviewedStories"
    FROM listed
    JOIN projects p ON p.project_id = listed.project_id AND p.status = 'active'
    LEFT JOIN LATERAL (
      SELECT v.viewed_story_numbers
        FROM story_views v
       WHERE v.environment_id = $1 AND v.user_id = listed.user_id AND v.project_id = listed.project_id
    ) AS views ON true
   ORDER BY listed.is_supported DESC, listed.last_supported_at DESC, p.rank, p.project_id
  `,
);

export function createProjectsStoriesReadModel(database: Database) {
  return {
    /** The main component for a user, or without a user (specification 4.4). */
    read: (environmentId: number, userHash: string | undefined) =>
      database.run<ProjectSummary>(readMainComponent, [environmentId, userHash ?? null]),
  };
}
