import type { Test } from 'supertest';

import { addProject, addStory, archiveStory } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

/**
 * has_unviewed_stories of a project for one user (specification 2.1), after any views, publications
 * and archivals.
 */
let service: TestService;
let company: TestCompany;
let projectId: number;
let userHash: string;

const view = (storyId: number): Test =>
  company.test.put(`/company/integration/stories/${storyId}/views`, { user_hash: userHash });

/**
 * Whether the user has unviewed stories of the project. All three operations that show it must
 * agree.
 */
async function hasUnviewed(): Promise<boolean> {
  const query = `?user_hash=${encodeURIComponent(userHash)}`;
  const { body: record } = await company.test
    .get(`/company/integration/get/project/${projectId}${query}`)
    .expect(200);
  for (const list of ['projects-stories', 'get/projects']) {
    const { body } = await company.test.get(`/company/integration/${list}${query}`).expect(200);
    expect(body.data).toMatchObject([
      { project_id: projectId, has_unviewed_stories: record.has_unviewed_stories },
    ]);
  }
  return record.has_unviewed_stories as boolean;
}

let userCount = 0;

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
});

afterAll(() => service.stop());

beforeEach(async () => {
  await service.database.admin.query(`UPDATE projects SET status = 'archived'`);
  projectId = await addProject(service.database.admin);
  userHash = `viewer-${(userCount += 1)}`;
});

describe('has_unviewed_stories', () => {
  test('is true again after a new story', async () => {
    await view(await addStory(service.database.admin, projectId)).expect(204);
    expect(await hasUnviewed()).toBe(false);
    const newer = await addStory(service.database.admin, projectId);
    expect(await hasUnviewed()).toBe(true);
    await view(newer).expect(204);
    expect(await hasUnviewed()).toBe(false);
  });

  test('is false when the only unviewed story is archived', async () => {
    await view(await addStory(service.database.admin, projectId)).expect(204);
    const unviewed = await addStory(service.database.admin, projectId);
    expect(await hasUnviewed()).toBe(true);
    await archiveStory(service.database.admin, unviewed);
    expect(await hasUnviewed()).toBe(false);
  });

  test('stays true when a viewed story is archived and another one is unviewed', async () => {
    const viewed = await addStory(service.database.admin, projectId);
    await addStory(service.database.admin, projectId);
    await view(viewed).expect(204);
    await archiveStory(service.database.admin, viewed);
    expect(await hasUnviewed()).toBe(true);
  });

  test.each([
    ['the first', 1],
    ['one in the middle', 5_000],
    ['the last', 10_000],
  ])(
    'is true when 10,000 stories are all viewed but %s, and false when that one is viewed too',
    async (_which, left) => {
      const { admin } = service.database;
      const { rows } = await admin.query<{ story_id: number }>(
        `WITH published AS (
         UPDATE projects SET published_story_numbers = '{[1,10001)}' WHERE project_id = $1
       ), story AS (
         INSERT INTO stories (project_id, story_number, title, body)
         SELECT $1, n, 'Story ' || n, 'A body' FROM generate_series(1, 10000) AS n
         RETURNING story_id, story_number
       )
       SELECT story_id FROM story WHERE story_number = ANY ($2) ORDER BY story_number = $3`,
        [projectId, [left, (left % 10_000) + 1], left],
      );
      const [viewed, unviewed] = rows.map(({ story_id: id }) => id);
      await view(viewed!).expect(204);
      await admin.query(
        `UPDATE story_views
          SET viewed_story_numbers = (SELECT range_agg(int4range(n, n + 1)) FROM generate_series(1, 10000) AS n WHERE n <> $2)
        WHERE project_id = $1`,
        [projectId, left],
      );

      expect(await hasUnviewed()).toBe(true);
      await view(viewed!).expect(204);
      expect(await hasUnviewed()).toBe(true);
      await view(unviewed!).expect(204);
      expect(await hasUnviewed()).toBe(false);
    },
  );

  test('is correct when every second of 10,000 stories is viewed, the worst case for the stored views', async () => {
    const { admin } = service.database;
    const first = await addStory(admin, projectId);
    await view(first).expect(204);
    const everyOther = `(SELECT range_agg(int4range(n, n + 1)) FROM generate_series(1, 9999, 2) AS n)`;
    await admin.query(`UPDATE projects SET published_story_numbers = ${everyOther} WHERE project_id = $1`, [
      projectId,
    ]);
    await admin.query(`UPDATE story_views SET viewed_story_numbers = ${everyOther} WHERE project_id = $1`, [
      projectId,
    ]);
    expect(await hasUnviewed()).toBe(false);
    await admin.query(
      `UPDATE projects SET published_story_numbers = published_story_numbers + '{[5000,5001)}' WHERE project_id = $1`,
      [projectId],
    );
    expect(await hasUnviewed()).toBe(true);
  });
});
