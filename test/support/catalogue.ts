import type { Pool } from 'pg';

/** Adds a project to the catalogue. Its rank is its position in the editorial order. */
export async function addProject(
  admin: Pool,
  project: {
    name?: string;
    rank?: number;
    status?: 'active' | 'archived';
    goalAmountCents?: number | null;
  } = {},
): Promise<number> {
  const { rows } = await admin.query<{ project_id: number }>(
    `INSERT INTO projects (project_name, project_image_url, summary, description, category, country, organization, goal_amount_cents, status, rank)
     VALUES ($1, '/demo/pictures/water/a-project.svg', 'A summary', 'A description', 'water', 'KE', 'An organization', $2, $3, $4)
     RETURNING project_id`,
    [
      project.name ?? 'A project',
      project.goalAmountCents ?? null,
      project.status ?? 'active',
      project.rank ?? 0,
    ],
  );
  return rows[0]!.project_id;
}

/** Publishes a story of a project. */
export async function addStory(
  admin: Pool,
  projectId: number,
  story: { title?: string; publishedAt?: string } = {},
): Promise<number> {
  const { rows } = await admin.query<{ story_id: number }>(
    `WITH story AS (
       INSERT INTO stories (project_id, story_number, title, body, published_at)
       SELECT $1, COALESCE(max(s.story_number), 0) + 1, $2, 'A body', COALESCE($3::timestamptz, now())
         FROM stories s WHERE s.project_id = $1
       RETURNING story_id, story_number
     ), published AS (
       UPDATE projects p
          SET published_story_numbers = p.published_story_numbers
              + int4multirange(int4range(story.story_number, story.story_number + 1))
         FROM story WHERE p.project_id = $1
     )
     SELECT story_id FROM story`,
    [projectId, story.title ?? 'A story', story.publishedAt ?? null],
  );
  return rows[0]!.story_id;
}

/** Unpublishes a story. */
export async function archiveStory(admin: Pool, storyId: number): Promise<void> {
  await admin.query(
    `WITH story AS (
       UPDATE stories SET status = 'archived' WHERE story_id = $1 RETURNING project_id, story_number
     )
     UPDATE projects p
        SET published_story_numbers = p.published_story_numbers
            - int4multirange(int4range(story.story_number, story.story_number + 1))
       FROM story WHERE p.project_id = story.project_id`,
    [storyId],
  );
}

/** Archives a project. */
export async function archiveProject(admin: Pool, projectId: number): Promise<void> {
  await admin.query(`UPDATE projects SET status = 'archived' WHERE project_id = $1`, [projectId]);
}
