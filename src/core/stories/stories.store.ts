import type { Database } from '../../db/pool/database';
import { membersOf, query } from '../../db/query';
import { pageOf } from '../../shared/cursor';
import type { StoryPageKey } from './stories.cursor';

export interface Story {
  storyId: number;
  title: string;
  body: string;
  /** An absolute URL, or a path on this service. */
  imageUrl: string | null;
  publishedAt: Date;
  isViewed: boolean;
}

export type StoriesStore = ReturnType<typeof createStoriesStore>;

// $1 environment_id, $2 user_hash or null, $3 project_id, $4 and $5 the page key or null, $6 the
// maximum number of rows. A project without stories yields one row with nulls.
const listStories = query(
  'list_stories',
  `
  SELECT ${membersOf('story', 'storyId', 'title', 'body', 'imageUrl', 'publishedAt', 'microseconds')},
         COALESCE(views.viewed_story_numbers @> story.story_number, false) AS "isViewed"
    FROM projects p
    LEFT JOIN LATERAL (
      SELECT s.story_id, s.story_number, s.title, s.body, s.image_url, s.published_at,
             (extract(epoch FROM s.published_at) * 1000000)::bigint AS microseconds
        FROM stories s
       WHERE s.project_id = p.project_id AND s.status = 'published'
         AND ($4::bigint IS NULL OR (s.published_at, s.story_id)
              < (timestamptz 'epoch' + $4::bigint * interval '1 microsecond', $5::integer))
       ORDER BY s.published_at DESC, s.story_id DESC
       LIMIT $6
    ) AS story ON true
    LEFT JOIN LATERAL (
      SELECT v.viewed_story_numbers
        FROM users u
        JOIN story_views v ON v.environment_id = u.environment_id AND v.user_id = u.user_id
       WHERE u.environment_id = $1 AND u.user_hash = $2 AND v.project_id = p.project_id
    ) AS views ON true
   WHERE p.project_id = $3::bigint
   ORDER BY story.published_at DESC, story.story_id DESC
  `,
);

/**
 * $1 environment_id, $2 user_hash, $3 story_id. A user has one row per project for all viewed
 * stories. The query writes nothing if the user already viewed the story.
 */
const recordStoryView = query(
  'record_story_view',
  `
  WITH story AS (
    SELECT s.project_id, s.story_number, s.status FROM stories s WHERE s.story_id = $3::bigint
  ),
  seen AS (
    SELECT 1 FROM story
      JOIN users u ON u.environment_id = $1 AND u.user_hash = $2
      JOIN story_views v ON v.environment_id = u.environment_id AND v.user_id = u.user_id
       AND v.project_id = story.project_id AND v.viewed_story_numbers @> story.story_number
  ),
  known_user AS (
    -- The lock waits for a transaction that is erasing this user, so that no view remains
    -- afterwards.
    SELECT u.user_id FROM users u
     WHERE u.environment_id = $1 AND u.user_hash = $2 AND NOT EXISTS (SELECT FROM seen)
       FOR KEY SHARE
  ),
  new_user AS (
    INSERT INTO users (environment_id, user_hash)
    SELECT $1, $2 FROM story
     WHERE story.status = 'published' AND NOT EXISTS (SELECT FROM known_user) AND NOT EXISTS (SELECT FROM seen)
    ON CONFLICT ON CONSTRAINT users_user_hash_key DO NOTHING
    RETURNING user_id
  ),
  viewer AS (
    SELECT user_id FROM known_user UNION ALL SELECT user_id FROM new_user
  ),
  view AS (
    INSERT INTO story_views AS v (environment_id, user_id, project_id, viewed_story_numbers)
    SELECT $1, viewer.user_id, story.project_id,
           int4multirange(int4range(story.story_number, story.story_number + 1))
      FROM story CROSS JOIN viewer
     WHERE story.status = 'published'
    ON CONFLICT ON CONSTRAINT story_views_pkey DO UPDATE
       SET viewed_story_numbers = v.viewed_story_numbers + EXCLUDED.viewed_story_numbers
  )
  SELECT story.status, EXISTS (SELECT FROM viewer) OR EXISTS (SELECT FROM seen) AS has_viewer FROM story
  `,
);

type StoryRow = Story & { microseconds: string };

export function createStoriesStore(database: Database) {
  return {
    /**
     * A page of a project's published stories, newest first; undefined if there is no such project.
     */
    async list(
      environmentId: number,
      userHash: string | undefined,
      projectId: string,
      { limit, after }: { limit: number; after: StoryPageKey | undefined },
    ) {
      const values = [environmentId, userHash ?? null, projectId, ...(after ?? [null, null]), limit + 1];
      const rows = await database.run<StoryRow | { storyId: null }>(listStories, values);
      if (rows.length === 0) return undefined;
      const stories = rows.filter((row): row is StoryRow => row.storyId !== null);
      return pageOf(stories, limit, ({ microseconds, storyId }) => [Number(microseconds), storyId]);
    },

    /**
     * Records that a user viewed a story. It is idempotent and ignores archived stories. False if
     * there is no such story.
     */
    async recordView(environmentId: number, userHash: string, storyId: string) {
      // If a concurrent request creates the user, the second attempt finds it.
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        const values = [environmentId, userHash, storyId];
        const [row] = await database.run<{ status: string; has_viewer: boolean }>(recordStoryView, values);
        if (!row) return false;
        if (row.has_viewer || row.status !== 'published') return true;
      }
      throw new Error('the user of a story view was neither found nor created');
    },
  };
}
