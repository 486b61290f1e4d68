import type { Knex } from 'knex';

import { readSettings } from '../src/read-settings';
import { type DemoProject, demoProjects } from './demo/catalogue';

type ProjectRecord = Omit<DemoProject, 'highlights' | 'stories'>;

const pictureOf = (project: ProjectRecord, slug: string): string =>
  `/demo/pictures/${project.category}/${slug}.svg`;

/** The demo's projects and stories. Seeding again updates them by external reference and number. */
export async function seed(knex: Knex): Promise<void> {
  if (readSettings(process.env).NODE_ENV === 'production') {
    throw new Error('The demo is not for production: it has invented projects, and secrets in a file.');
  }
  await knex.transaction(async (transaction) => {
    for (const [index, project] of demoProjects.entries()) {
      const { highlights, stories, ...record } = project;
      const projectId = await seedProject(transaction, record, index);
      await seedHighlights(transaction, projectId, record, highlights);
      await seedStories(transaction, projectId, record, stories);
    }
  });
}

async function seedProject(
  transaction: Knex.Transaction,
  project: ProjectRecord,
  index: number,
): Promise<number> {
  const { slug, name, goalAmountCents, ...columns } = project;
  const [row] = await transaction('projects')
    .insert({
      ...columns,
      external_reference: `demo:${slug}`,
      project_name: name,
      project_image_url: pictureOf(project, slug),
      goal_amount_cents: goalAmountCents,
      rank: (index + 1) * 10,
    })
    .onConflict('external_reference')
    .merge()
    .returning<{ project_id: number }[]>('project_id');
  if (!row) throw new Error(`project ${slug} was not stored`);
  return row.project_id;
}

async function seedHighlights(
  transaction: Knex.Transaction,
  projectId: number,
  project: ProjectRecord,
  highlights: DemoProject['highlights'],
): Promise<void> {
  await transaction('project_highlights').where({ project_id: projectId }).delete();
  const rows = highlights.map(({ title, body, pictureSlug }, index) => ({
    project_id: projectId,
    position: index + 1,
    title,
    body,
    image_url: pictureSlug === null ? null : pictureOf(project, pictureSlug),
  }));
  if (rows.length > 0) await transaction('project_highlights').insert(rows);
}

async function seedStories(
  transaction: Knex.Transaction,
  projectId: number,
  project: ProjectRecord,
  stories: DemoProject['stories'],
): Promise<void> {
  const rows = stories.map(({ title, body, publishedAt, status }, index) => ({
    project_id: projectId,
    story_number: index + 1,
    title,
    body,
    image_url: pictureOf(project, `${project.slug}-story-${index + 1}`),
    status,
    published_at: publishedAt,
  }));
  if (rows.length > 0)
    await transaction('stories').insert(rows).onConflict(['project_id', 'story_number']).merge();
  await transaction.raw(
    `UPDATE projects SET published_story_numbers = COALESCE(
       (SELECT range_agg(int4range(s.story_number, s.story_number + 1))
          FROM stories s WHERE s.project_id = projects.project_id AND s.status = 'published'), '{}')
      WHERE project_id = :projectId`,
    { projectId },
  );
}
