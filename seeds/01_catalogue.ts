import type { Knex } from 'knex';

import { loadConfig } from '../src/config';
import { type DemoProject, demoProjects } from './demo/catalogue';

const pictureOf = (project: DemoProject, slug: string): string =>
  `/demo/pictures/${project.category}/${slug}.svg`;

/** The demo's projects and stories. Seeding again updates them by external reference and number. */
export async function seed(knex: Knex): Promise<void> {
  if (loadConfig(process.env).NODE_ENV === 'production') {
    throw new Error('The demo is not for production: it has invented projects, and secrets in a file.');
  }
  await knex.transaction(async (transaction) => {
    for (const [index, project] of demoProjects.entries()) {
      const projectId = await seedProject(transaction, project, index);
      await seedHighlights(transaction, projectId, project);
      await seedStories(transaction, projectId, project);
    }
  });
}

async function seedProject(
  transaction: Knex.Transaction,
  project: DemoProject,
  index: number,
): Promise<number> {
  const [row] = await transaction('projects')
    .insert({
      external_reference: `demo:${project.slug}`,
      project_name: project.name,
      project_image_url: pictureOf(project, project.slug),
      summary: project.summary,
      description: project.description,
      category: project.category,
      country: project.country,
      organization: project.organization,
      goal_amount_cents: project.goalAmountCents,
      status: project.status,
      rank: (index + 1) * 10,
    })
    .onConflict('external_reference')
    .merge()
    .returning<{ project_id: number }[]>('project_id');
  if (!row) throw new Error(`project ${project.slug} was not stored`);
  return row.project_id;
}

async function seedHighlights(
  transaction: Knex.Transaction,
  projectId: number,
  project: DemoProject,
): Promise<void> {
  await transaction('project_highlights').where({ project_id: projectId }).delete();
  const rows = project.highlights.map(({ title, body, pictureSlug }, index) => ({
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
  project: DemoProject,
): Promise<void> {
  const rows = project.stories.map(({ title, body, publishedAt, status }, index) => ({
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
