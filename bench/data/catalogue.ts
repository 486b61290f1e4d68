import type { Client } from 'pg';

import { type Size, storiesOf } from './size';

/** The projects, by number. */
export async function addProjects(client: Client, size: Size): Promise<void> {
  await client.query(
    `INSERT INTO projects (project_id, project_name, project_image_url, summary, description, category, country, organization,
       goal_amount_cents, rank, published_story_numbers, created_at, updated_at)
     SELECT number, 'Project ' || number, 'https://pictures.example/project/' || number, repeat('What it is for. ', 6),
            repeat('What it does, and with whom. ', 40), (ARRAY['water', 'education', 'health'])[1 + number % 3], 'KE',
            'Organization ' || number % 500, 1000000 + number, number * 10,
            CASE WHEN stories = 0 THEN '{}'::int4multirange ELSE int4multirange(int4range(1, stories + 1)) END,
            '2025-01-01Z', '2025-12-01Z'
       FROM unnest($1::integer[]) WITH ORDINALITY AS given (stories, number)`,
    [Array.from({ length: size.projects }, (_, place) => storiesOf(size, place + 1))],
  );
}

/**
 * The largest company's second user has viewed all but one story of the first project and every
 * other story of the second. These two projects have the most stories.
 */
export async function addExtremeViews(client: Client, { mostStories }: Size): Promise<void> {
  await client.query(
    `INSERT INTO story_views (environment_id, user_id, project_id, viewed_story_numbers)
     SELECT e.environment_id, e.first_user + 1, 1,
            int4multirange(int4range(1, $1::integer + 1)) - int4multirange(int4range($1 / 2, $1 / 2 + 1))
       FROM bench.environments e WHERE e.first_user = 1
     UNION ALL
     SELECT e.environment_id, e.first_user + 1, 2,
            (SELECT range_agg(int4range(number, number + 1)) FROM generate_series(1, $1, 2) AS number)
       FROM bench.environments e WHERE e.first_user = 1
     ON CONFLICT (environment_id, user_id, project_id) DO UPDATE SET viewed_story_numbers = EXCLUDED.viewed_story_numbers`,
    [mostStories],
  );
}

/** Project figures, as the service would compute them from the other tables. */
export async function addFigures(client: Client): Promise<void> {
  await client.query(
    `INSERT INTO project_figures (figures_scope, project_id, raised_cents, supporters_count)
     SELECT 0, t.project_id, t.raised_cents, s.supporters
       FROM (SELECT project_id, sum(amount_cents) AS raised_cents FROM transactions
              WHERE status = 'completed' GROUP BY project_id) AS t
       JOIN (SELECT project_id, count(*) AS supporters FROM supports GROUP BY project_id) AS s USING (project_id)`,
  );
}
