import type { Response } from 'supertest';

import { addProject, addStory, archiveProject, archiveStory } from '../support/catalogue';
import { publicBaseUrl, startService, type TestCompany, type TestService } from '../support/service';

/**
 * The stories of a project, newest first: an addition to the specification, which has no way to
 * read a story.
 */
let service: TestService;
let company: TestCompany;
let projectId: number;

const path = (project: number | string = projectId): string =>
  `/company/integration/get/project/${project}/stories`;
const cursorOf = (json: string): string => Buffer.from(json, 'utf8').toString('base64url');

interface Story {
  story_id: number;
  is_viewed: boolean;
}
const storiesOf = (response: Response) => response.body.data as Story[];
const idsOf = (response: Response) => storiesOf(response).map((story) => story.story_id);

const wrong = (parameter: string, code: string) => ({
  code: 'invalid_request',
  errors: [{ parameter, code, detail: expect.any(String) }],
});

/** Stories of the project with these times, newest first by id. */
async function addNewestFirst(times: string[]): Promise<number[]> {
  const added: { id: number; at: string }[] = [];
  for (const at of times) {
    added.push({ at, id: await addStory(service.database.admin, projectId, { publishedAt: at }) });
  }
  return added.sort((a, b) => b.at.localeCompare(a.at) || b.id - a.id).map(({ id }) => id);
}

async function walk(limit: number, betweenPages: () => Promise<unknown> = () => Promise.resolve()) {
  const pages: number[][] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const response: Response = await company.test.get(`${path()}?limit=${limit}${next}`).expect(200);
    expect(response.body.has_more).toBe(response.body.next_cursor !== null);
    pages.push(idsOf(response));
    cursor = response.body.next_cursor as string | null;
    if (cursor !== null) await betweenPages();
  }
  return pages;
}

async function view(storyId: number, userHash: string): Promise<void> {
  await company.test
    .put(`/company/integration/stories/${storyId}/views`, { user_hash: userHash })
    .expect(204);
}

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
});

afterAll(() => service.stop());

beforeEach(async () => {
  projectId = await addProject(service.database.admin);
});

describe("the list of a project's stories", () => {
  test('has exactly the documented fields of each story', async () => {
    const { rows } = await service.database.admin.query<{ story_id: number }>(
      `INSERT INTO stories (project_id, story_number, title, body, image_url, published_at)
       VALUES ($1, 1, 'Older', 'Long ago', NULL, '2026-01-02T03:04:05.678901Z'),
              ($1, 2, 'Newer', 'Lately', '/demo/pictures/new.svg', '2026-02-02T01:00:00+01:00')
       RETURNING story_id`,
      [projectId],
    );
    const response = await company.test.get(path()).expect(200);
    expect(response.body).toEqual({
      data: [
        {
          story_id: rows[1]!.story_id,
          title: 'Newer',
          body: 'Lately',
          image_url: `${publicBaseUrl}/demo/pictures/new.svg`,
          published_at: '2026-02-02T00:00:00.000Z',
          is_viewed: false,
        },
        {
          story_id: rows[0]!.story_id,
          title: 'Older',
          body: 'Long ago',
          image_url: null,
          published_at: '2026-01-02T03:04:05.678Z',
          is_viewed: false,
        },
      ],
      has_more: false,
      next_cursor: null,
    });
  });

  test('is empty for a project without stories, and for one whose stories are all archived', async () => {
    const empty = { data: [], has_more: false, next_cursor: null };
    expect((await company.test.get(path()).expect(200)).body).toEqual(empty);
    await archiveStory(service.database.admin, await addStory(service.database.admin, projectId));
    expect((await company.test.get(path()).expect(200)).body).toEqual(empty);
    expect((await company.test.get(`${path()}?user_hash=someone`).expect(200)).body).toEqual(empty);
  });

  test('omits archived stories and those of other projects', async () => {
    const kept = await addStory(service.database.admin, projectId);
    await archiveStory(service.database.admin, await addStory(service.database.admin, projectId));
    await addStory(service.database.admin, await addProject(service.database.admin));
    expect(idsOf(await company.test.get(path()).expect(200))).toEqual([kept]);
  });

  test('of an archived project is still readable', async () => {
    const storyId = await addStory(service.database.admin, projectId);
    await archiveProject(service.database.admin, projectId);
    expect(idsOf(await company.test.get(path()).expect(200))).toEqual([storyId]);
  });

  test.each(['2147483647', '2147483648', '999999999999999999'])(
    'of the project %s, which does not exist, gets 404 with and without a user',
    async (id) => {
      for (const query of ['', '?user_hash=someone']) {
        const response = await company.test.get(path(id) + query).expect(404);
        expect(response.body).toMatchObject({ code: 'resource_not_found', retryable: false });
      }
    },
  );

  test.each(['0', '-1', '01', 'abc', '1%00', '%EF%BC%91'])('of the project "%s" gets 400', async (id) => {
    const response = await company.test.get(path(id)).expect(400);
    expect(response.body).toMatchObject(wrong('project_id', 'invalid_format'));
  });

  test('is cacheable by its caller without a user, and not cacheable with one', async () => {
    const plain = await company.test.get(path()).expect(200);
    expect(plain.get('Cache-Control')).toBe('private, no-cache');
    const personal = await company.test.get(`${path()}?user_hash=someone`).expect(200);
    expect(personal.get('Cache-Control')).toBe('no-store');
  });
});

describe('is_viewed', () => {
  test('is true exactly for the stories that this user of this environment has viewed', async () => {
    const [newest, middle, oldest] = await addNewestFirst(['2026-01-01Z', '2026-01-02Z', '2026-01-03Z']);
    await view(oldest!, 'viewer+');
    await view(newest!, 'viewer+');
    await view(middle!, 'another');
    const other = await service.addCompany();

    const viewed = async (client = company.test, query = '?user_hash=viewer%2B') =>
      storiesOf(await client.get(path() + query).expect(200))
        .filter((story) => story.is_viewed)
        .map((story) => story.story_id);
    expect(await viewed()).toEqual([newest, oldest]);
    expect(await viewed(company.test, '?user_hash=another')).toEqual([middle]);
    for (const query of ['', '?user_hash=', '?user_hash=Viewer%2B', '?user_hash=unknown']) {
      expect(await viewed(company.test, query)).toEqual([]);
    }
    for (const client of [company.production, other.test]) expect(await viewed(client)).toEqual([]);
  });

  test('stays with its story when others are published and archived', async () => {
    const first = await addStory(service.database.admin, projectId);
    const second = await addStory(service.database.admin, projectId);
    await view(second, 'viewer');
    await archiveStory(service.database.admin, first);
    const third = await addStory(service.database.admin, projectId);
    const response = await company.test.get(`${path()}?user_hash=viewer`).expect(200);
    expect(storiesOf(response)).toMatchObject([
      { story_id: third, is_viewed: false },
      { story_id: second, is_viewed: true },
    ]);
  });

  test('is correct on every page', async () => {
    const ids = await addNewestFirst(['2026-01-01Z', '2026-01-02Z', '2026-01-03Z']);
    await view(ids[2]!, 'viewer');
    const { body } = await company.test.get(`${path()}?user_hash=viewer&limit=2`).expect(200);
    expect(body.data).toMatchObject([{ is_viewed: false }, { is_viewed: false }]);
    const second = `${path()}?user_hash=viewer&limit=2&cursor=${body.next_cursor as string}`;
    expect((await company.test.get(second).expect(200)).body.data).toMatchObject([{ is_viewed: true }]);
  });
});

describe('a publication time', () => {
  // Such a story would make the list of its project fail, or produce a cursor that the service
  // rejects.
  test.each(['infinity', '-infinity', '2300-01-01Z', '1600-01-01Z', '0044-03-15 BC'])(
    'of %s is rejected by the schema',
    async (publishedAt) => {
      const added = addStory(service.database.admin, projectId, { publishedAt });
      await expect(added).rejects.toMatchObject({
        code: '23514',
        message: expect.stringMatching(/relation "stories(_\d+)?"/) as string,
      });
    },
  );
});

describe('paging through the list', () => {
  // Published together, a microsecond apart, before 1970 and after 2038.
  const times = [
    ...['2026-05-05T12:00:00.000001Z', '2026-05-05T12:00:00.000002Z', '2026-05-05T12:00:00.000002Z'],
    ...['2026-05-05T12:00:00.000999Z', '2026-05-05T12:00:00.001000Z', '2026-05-05T12:00:00.000002Z'],
    ...['1969-12-31T23:59:59.999999Z', '1900-01-01T00:00:00.000001Z', '2100-01-01T00:00:00.123457Z'],
  ];

  test.each([
    [1, 9],
    [2, 5],
    [8, 2],
    [9, 1],
  ])('with limit %i has every story exactly once, newest first, on %i pages', async (limit, pageCount) => {
    const ids = await addNewestFirst(times);
    const pages = await walk(limit);
    expect(pages.flat()).toEqual(ids);
    expect(pages).toHaveLength(pageCount);
  });

  test('neither skips nor repeats a story when others are added or removed between the pages', async () => {
    const ids = await addNewestFirst(times);
    let pageCount = 0;
    const pages = await walk(2, async () => {
      pageCount += 1;
      await addStory(service.database.admin, projectId, { publishedAt: '2200-01-01Z' });
      // The last story of this page is archived before the next page is requested.
      await archiveStory(service.database.admin, ids[pageCount * 2 - 1]!);
    });
    expect(pages.flat()).toEqual(ids);
  });

  test('without a limit has 100 stories on a page', async () => {
    await service.database.admin.query(
      `INSERT INTO stories (project_id, story_number, title, body)
       SELECT $1, n, 'Story ' || n, 'A body' FROM generate_series(1, 101) AS n`,
      [projectId],
    );
    const first = await company.test.get(path()).expect(200);
    expect(storiesOf(first)).toHaveLength(100);
    const second = await company.test.get(`${path()}?cursor=${first.body.next_cursor as string}`).expect(200);
    expect(storiesOf(second)).toHaveLength(1);
    expect(new Set([...idsOf(first), ...idsOf(second)]).size).toBe(101);
    expect(storiesOf(await company.test.get(`${path()}?limit=1000`).expect(200))).toHaveLength(101);
  });

  test.each([
    ...['', 'null', '{}', '[]', '[1]', '[1,2,3]', '["1","2"]', '[1.5,1]', '[1,1.5]', '[1,2147483648]'],
    ...['[9007199254740992,1]', '[-9007199254740992,1]', '[1e400,1]', '[{"__proto__":1},1]'],
  ])('with a cursor that encodes "%s" is rejected with 400', async (json) => {
    const response = await company.test.get(`${path()}?cursor=${cursorOf(json)}`).expect(400);
    expect(response.body).toMatchObject(wrong('cursor', 'invalid_format'));
  });

  test('with a cursor at the smallest or largest time succeeds', async () => {
    const ids = await addNewestFirst(times);
    const latest = cursorOf('[9007199254740991,2147483647]');
    expect(idsOf(await company.test.get(`${path()}?cursor=${latest}`).expect(200))).toEqual(ids);
    const earliest = cursorOf('[-9007199254740991,-2147483648]');
    expect(idsOf(await company.test.get(`${path()}?cursor=${earliest}`).expect(200))).toEqual([]);
  });

  test.each(['0', '1001', '', 'abc', '1.0'])('with limit "%s" is rejected with 400', async (limit) => {
    const response = await company.test.get(`${path()}?limit=${limit}`).expect(400);
    expect(response.body).toMatchObject(wrong('limit', 'out_of_range'));
  });
});
