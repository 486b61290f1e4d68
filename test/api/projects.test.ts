import type { Response } from 'supertest';

import { addProject, addStory, archiveProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { publicBaseUrl, startService, type TestCompany, type TestService } from '../support/service';

/** The catalogue: the list of projects and the full record of one (specification 4.1 and 4.2). */
let service: TestService;
let company: TestCompany;

const list = '/company/integration/get/projects';
const address = (projectId: number): string => `/company/integration/get/project/${projectId}`;

const idsOf = (response: Response): number[] =>
  (response.body.data as { project_id: number }[]).map((project) => project.project_id);

/** Projects in list order: by rank, then by id. */
async function addInEditorialOrder(ranks: number[]): Promise<number[]> {
  const added: { rank: number; id: number }[] = [];
  for (const rank of ranks) added.push({ rank, id: await addProject(service.database.admin, { rank }) });
  return added.sort((a, b) => a.rank - b.rank || a.id - b.id).map(({ id }) => id);
}

async function support(client: Client, projectId: number, userHash: string): Promise<void> {
  const body = { project_id: projectId, amount: 5, user_hash: userHash };
  const { body: created } = await client.put('/company/integration/contributions/create', body).expect(201);
  await client
    .put(`/company/integration/contributions/${created.transaction_id as string}`, { status: 'completed' })
    .expect(200);
}

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
});

afterAll(() => service.stop());

beforeEach(() => service.database.admin.query(`UPDATE projects SET status = 'archived'`));

describe('the list of projects', () => {
  test('is empty when there is no active project', async () => {
    await addProject(service.database.admin, { status: 'archived' });
    const response = await company.test.get(list).expect(200);
    expect(response.body).toEqual({ data: [], has_more: false, next_cursor: null });
  });

  test('is in editorial order: by rank, which may be negative, then by id', async () => {
    const ids = await addInEditorialOrder([7, 0, 2_147_483_647, 7, -3, 0, -2_147_483_648, 7]);
    expect(idsOf(await company.test.get(list).expect(200))).toEqual(ids);
  });

  test('omits archived projects, and lists them again when they are reactivated', async () => {
    const [first, second, third] = await addInEditorialOrder([1, 2, 3]);
    await archiveProject(service.database.admin, second!);
    expect(idsOf(await company.test.get(list).expect(200))).toEqual([first, third]);
    await service.database.admin.query(`UPDATE projects SET status = 'active' WHERE project_id = $1`, [
      second,
    ]);
    expect(idsOf(await company.test.get(list).expect(200))).toEqual([first, second, third]);
  });

  test('shows the same fields of a project as its record', async () => {
    const projectId = await addProject(service.database.admin, { goalAmountCents: 1_234_567 });
    await addStory(service.database.admin, projectId);
    await support(company.test, projectId, 'list-and-record');
    for (const query of ['', '?user_hash=list-and-record']) {
      const response = await company.test.get(list + query).expect(200);
      const record = await company.test.get(address(projectId) + query).expect(200);
      expect(response.body.data).toEqual([record.body]);
    }
  });

  test('is the same for every company and both environments', async () => {
    await addInEditorialOrder([3, 1, 2]);
    const other = await service.addCompany();
    const own = await company.test.get(list).expect(200);
    expect(idsOf(own)).toHaveLength(3);
    for (const client of [company.production, other.test, other.production]) {
      expect((await client.get(list).expect(200)).body).toEqual(own.body);
    }
  });
});

describe('the full record', () => {
  test('of a project has exactly the documented fields, and neither highlights nor description', async () => {
    const { rows } = await service.database.admin.query<{ project_id: number }>(
      `INSERT INTO projects (project_name, project_image_url, summary, description, category, country, organization,
                             goal_amount_cents, external_reference, created_at, updated_at)
       VALUES ('Wells', '/demo/pictures/water/wells.svg', 'In short', 'At length', 'water', 'KE', 'Lakeside', 4800000,
               'import-1', '2026-03-01T08:00:00.123456Z', '2026-04-01T10:00:00+02:00')
       RETURNING project_id`,
    );
    const projectId = rows[0]!.project_id;
    const response = await company.test.get(address(projectId)).expect(200);
    expect(response.body).toEqual({
      project_id: projectId,
      project_name: 'Wells',
      project_image_url: `${publicBaseUrl}/demo/pictures/water/wells.svg`,
      is_supported: false,
      has_stories: false,
      has_unviewed_stories: false,
      summary: 'In short',
      category: 'water',
      country: 'KE',
      organization: 'Lakeside',
      goal_amount: '48000.00',
      raised_amount: '0.00',
      supporters_count: 0,
      status: 'active',
      created_at: '2026-03-01T08:00:00.123Z',
      updated_at: '2026-04-01T08:00:00.000Z',
    });
    expect(response.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(response.get('Environment')).toBe('test');
  });

  test('has null for unknown values of a project', async () => {
    const { rows } = await service.database.admin.query<{ project_id: number }>(
      `INSERT INTO projects (project_name, project_image_url) VALUES ('Bare', 'https://cdn.test/bare.png')
       RETURNING project_id`,
    );
    const response = await company.test.get(`${address(rows[0]!.project_id)}?description=1`).expect(200);
    expect(response.body).toMatchObject({
      summary: '',
      description: '',
      category: null,
      country: null,
      organization: null,
      goal_amount: null,
    });
  });

  test.each([
    [1, '0.01'],
    [10, '0.10'],
    [100, '1.00'],
    [123_456_789, '1234567.89'],
    [100_000_000_000_000, '1000000000000.00'],
  ])('shows a goal of %i cents as "%s"', async (goalAmountCents, goalAmount) => {
    const projectId = await addProject(service.database.admin, { goalAmountCents });
    const response = await company.test.get(address(projectId)).expect(200);
    expect(response.body.goal_amount).toBe(goalAmount);
  });

  test.each([
    ['/demo/pictures/water/well.svg', `${publicBaseUrl}/demo/pictures/water/well.svg`],
    ['https://cdn.test/well.png?size=2', 'https://cdn.test/well.png?size=2'],
    ['http://cdn.test/well.png', 'http://cdn.test/well.png'],
  ])('shows the picture %s as %s, whatever the Host header says', async (stored, shown) => {
    const projectId = await addProject(service.database.admin);
    await service.database.admin.query('UPDATE projects SET project_image_url = $2 WHERE project_id = $1', [
      projectId,
      stored,
    ]);
    for (const path of [address(projectId), list]) {
      const response = await company.test.get(path).set('Host', 'evil.test').expect(200);
      expect(response.body.data?.[0] ?? response.body).toMatchObject({ project_image_url: shown });
    }
  });

  test('of an archived project is still readable, with the status archived', async () => {
    const projectId = await addProject(service.database.admin, { status: 'archived' });
    const response = await company.test.get(address(projectId)).expect(200);
    expect(response.body).toMatchObject({ project_id: projectId, status: 'archived' });
  });
});

describe('user_hash', () => {
  test('sets is_supported in the list and in the record, for that user in that environment only', async () => {
    const [supported, other] = await addInEditorialOrder([1, 2]);
    await support(company.test, supported!, 'supporter');
    const stranger = await service.addCompany();
    const views: [Client, string, boolean][] = [
      [company.test, '?user_hash=supporter', true],
      [company.test, '?user_hash=Supporter', false],
      [company.test, '?user_hash=', false],
      [company.test, '', false],
      [company.production, '?user_hash=supporter', false],
      [stranger.test, '?user_hash=supporter', false],
    ];
    for (const [client, query, isSupported] of views) {
      const { body } = await client.get(list + query).expect(200);
      expect(body.data).toMatchObject([
        { project_id: supported, is_supported: isSupported },
        { project_id: other, is_supported: false },
      ]);
      const { body: record } = await client.get(address(supported!) + query).expect(200);
      expect(record.is_supported).toBe(isSupported);
      const { body: otherRecord } = await client.get(address(other!) + query).expect(200);
      expect(otherRecord.is_supported).toBe(false);
    }
  });

  test('sets has_unviewed_stories in the list and in the record; without it the value equals has_stories', async () => {
    const projectId = await addProject(service.database.admin);
    const flags = async (query: string) => {
      const { body } = await company.test.get(list + query).expect(200);
      const { body: record } = await company.test.get(address(projectId) + query).expect(200);
      expect(body.data).toEqual([record]);
      return [record.has_stories, record.has_unviewed_stories] as unknown[];
    };
    expect(await flags('')).toEqual([false, false]);
    expect(await flags('?user_hash=viewer')).toEqual([false, false]);

    const storyId = await addStory(service.database.admin, projectId);
    expect(await flags('')).toEqual([true, true]);
    expect(await flags('?user_hash=viewer')).toEqual([true, true]);

    await company.test
      .put(`/company/integration/stories/${storyId}/views`, { user_hash: 'viewer' })
      .expect(204);
    expect(await flags('')).toEqual([true, true]);
    expect(await flags('?user_hash=viewer')).toEqual([true, false]);
    expect(await flags('?user_hash=another')).toEqual([true, true]);
  });

  test('sets has_unviewed_stories for each project separately', async () => {
    const [seen, seenToo, unseen] = await addInEditorialOrder([1, 2, 3]);
    for (const projectId of [seen!, seenToo!, unseen!]) {
      const storyId = await addStory(service.database.admin, projectId);
      if (projectId === unseen) continue;
      await company.test
        .put(`/company/integration/stories/${storyId}/views`, { user_hash: 'viewer' })
        .expect(204);
    }
    const { body } = await company.test.get(`${list}?user_hash=viewer`).expect(200);
    expect(body.data).toMatchObject([
      { project_id: seen, has_unviewed_stories: false },
      { project_id: seenToo, has_unviewed_stories: false },
      { project_id: unseen, has_unviewed_stories: true },
    ]);
    for (const listed of body.data as { project_id: number }[]) {
      const { body: record } = await company.test
        .get(`${address(listed.project_id)}?user_hash=viewer`)
        .expect(200);
      expect(record).toEqual(listed);
    }
  });
});

describe('Cache-Control', () => {
  test.each([
    ['', 'private, no-cache'],
    ['?user_hash=', 'private, no-cache'],
    ['?user_hash=someone', 'no-store'],
  ])('of responses to "%s" is %s', async (query, cacheControl) => {
    const projectId = await addProject(service.database.admin);
    for (const path of [list, address(projectId)]) {
      const response = await company.test.get(path + query).expect(200);
      expect(response.get('Cache-Control')).toBe(cacheControl);
    }
  });

  test('of an error is no-store', async () => {
    const response = await company.test.get(address(2_147_483_647)).expect(404);
    expect(response.get('Cache-Control')).toBe('no-store');
  });
});
