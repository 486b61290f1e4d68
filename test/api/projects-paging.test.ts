import type { Response } from 'supertest';

import { addProject, archiveProject } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

/** The list of projects in pages (specification 4.1). */
let service: TestService;
let company: TestCompany;

const list = '/company/integration/get/projects';
const cursorOf = (json: string): string => Buffer.from(json, 'utf8').toString('base64url');

const idsOf = (response: Response): number[] =>
  (response.body.data as { project_id: number }[]).map((project) => project.project_id);

const wrong = (parameter: string, code: string) => ({
  code: 'invalid_request',
  retryable: false,
  errors: [{ parameter, code, detail: expect.any(String) }],
});

/** All pages from first to last. */
async function walk(limit: number, betweenPages: () => Promise<unknown> = () => Promise.resolve()) {
  const pages: number[][] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const response: Response = await company.test.get(`${list}?limit=${limit}${next}`).expect(200);
    expect(response.body.has_more).toBe(response.body.next_cursor !== null);
    pages.push(idsOf(response));
    cursor = response.body.next_cursor as string | null;
    if (cursor !== null) await betweenPages();
  }
  return pages;
}

/** Projects in list order: by rank, then by id. */
async function addInEditorialOrder(ranks: number[]): Promise<number[]> {
  const added: { rank: number; id: number }[] = [];
  for (const rank of ranks) added.push({ rank, id: await addProject(service.database.admin, { rank }) });
  return added.sort((a, b) => a.rank - b.rank || a.id - b.id).map(({ id }) => id);
}

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
});

afterAll(() => service.stop());

beforeEach(() => service.database.admin.query(`UPDATE projects SET status = 'archived'`));

describe('paging through the list', () => {
  test.each([
    [1, [1, 1, 1, 1, 1, 1, 1]],
    [2, [2, 2, 2, 1]],
    [3, [3, 3, 1]],
    [6, [6, 1]],
    [7, [7]],
    [1000, [7]],
  ])('with limit %i has every project exactly once, in pages of %j', async (limit, sizes) => {
    const ids = await addInEditorialOrder([5, 5, 5, -1, 0, 5, -1]);
    const pages = await walk(limit);
    expect(pages.flat()).toEqual(ids);
    expect(pages.map((page) => page.length)).toEqual(sizes);
  });

  test('neither skips nor repeats a project when others are added or removed between the pages', async () => {
    const ids = await addInEditorialOrder([10, 10, 20, 20, 30, 30]);
    const passing = await addProject(service.database.admin, { rank: 15 });
    let pageCount = 0;
    const pages = await walk(1, async () => {
      pageCount += 1;
      await addProject(service.database.admin, { rank: pageCount - 100 });
      // The last project of the second page is archived before the third is requested.
      if (pageCount === 2) await archiveProject(service.database.admin, ids[1]!);
      if (pageCount === 2) await archiveProject(service.database.admin, passing);
    });
    expect(pages.flat()).toEqual(ids);
  });

  test('without a limit has 1,000 projects on a page, and its cursor leads to the rest', async () => {
    await service.database.admin.query(
      `INSERT INTO projects (project_name, project_image_url, rank)
       SELECT 'Project ' || n, '/demo/pictures/water/a-project.svg', n % 10 FROM generate_series(1, 1001) AS n`,
    );
    const { rows } = await service.database.admin.query<{ project_id: number }>(
      `SELECT project_id FROM projects WHERE status = 'active' ORDER BY rank, project_id`,
    );
    const expected = rows.map(({ project_id: id }) => id);

    const first = await company.test.get(list).expect(200);
    expect(first.body.has_more).toBe(true);
    expect(idsOf(first)).toEqual(expected.slice(0, 1000));

    const cursor = encodeURIComponent(first.body.next_cursor as string);
    const second = await company.test.get(`${list}?cursor=${cursor}`).expect(200);
    expect(second.body).toMatchObject({ has_more: false, next_cursor: null });
    expect(idsOf(second)).toEqual(expected.slice(1000));

    expect(idsOf(await company.test.get(`${list}?limit=1000`).expect(200))).toHaveLength(1000);
  });
});

describe('limit', () => {
  beforeEach(() => addInEditorialOrder([1, 2]));

  test.each(['1', '2', '999', '1000'])('%s is accepted', async (limit) => {
    const response = await company.test.get(`${list}?limit=${limit}`).expect(200);
    expect(response.body.data).not.toHaveLength(0);
  });

  test.each([
    ...[
      '0',
      '-1',
      '1001',
      '10000',
      '2147483648',
      '9'.repeat(400),
      '',
      '01',
      '1.0',
      '1e2',
      '+1',
      '%2B1',
      '%201',
    ],
    ...['1%00', 'abc', 'NaN', 'Infinity', 'null', '0x10', '%zz'],
  ])('"%s" is rejected with 400', async (limit) => {
    const response = await company.test.get(`${list}?limit=${limit}`).expect(400);
    expect(response.body).toMatchObject(wrong('limit', 'out_of_range'));
  });

  test('sent twice is rejected with 400', async () => {
    const response = await company.test.get(`${list}?limit=1&limit=1`).expect(400);
    expect(response.body).toMatchObject(wrong('limit', 'duplicate'));
  });
});

describe('cursor', () => {
  beforeEach(() => addInEditorialOrder([1, 2]));

  const ofJson: [what: string, json: string][] = [
    ['nothing', ''],
    ['no JSON', 'rank 1'],
    ['null', 'null'],
    ['a number', '1'],
    ['a text', '"1"'],
    ['an object', '{"0":1,"1":2,"length":2}'],
    ['an object with __proto__', '{"__proto__":[1,2]}'],
    ['an array with __proto__ in it', '[{"__proto__":1},1]'],
    ['an empty array', '[]'],
    ['one number', '[1]'],
    ['three numbers', '[1,2,3]'],
    ['texts', '["1","2"]'],
    ['nulls', '[null,null]'],
    ['arrays', '[[1],[2]]'],
    ['booleans', '[true,true]'],
    ['a fraction', '[1.5,1]'],
    ['a rank past int4', '[2147483648,1]'],
    ['a rank before int4', '[-2147483649,1]'],
    ['an id past int4', '[1,2147483648]'],
    ['an id past int8', '[1,9223372036854775808]'],
    ['a number past every limit', '[1e400,1]'],
    ['the key of a story', '[1767225600000000,1]'],
    ['deep nesting', '['.repeat(5000)],
  ];

  test.each(ofJson)('that encodes %s is rejected with 400', async (_what, json) => {
    const response = await company.test.get(`${list}?cursor=${cursorOf(json)}`).expect(400);
    expect(response.body).toMatchObject(wrong('cursor', 'invalid_format'));
  });

  test.each([
    'x',
    '__proto__',
    'constructor',
    '%00',
    '%E2%82%AC',
    '%zz',
    '%20',
    '.',
    '=',
    'null',
    '1',
    '[0,1]',
  ])('"%s" is rejected with 400', async (cursor) => {
    const response = await company.test.get(`${list}?cursor=${cursor}`).expect(400);
    expect(response.body).toMatchObject(wrong('cursor', 'invalid_format'));
  });

  test('of the previous page, sent twice, is rejected with 400', async () => {
    const { body } = await company.test.get(`${list}?limit=1`).expect(200);
    const cursor = encodeURIComponent(body.next_cursor as string);
    await company.test.get(`${list}?cursor=${cursor}`).expect(200);
    const response = await company.test.get(`${list}?cursor=${cursor}&cursor=${cursor}`).expect(400);
    expect(response.body).toMatchObject(wrong('cursor', 'duplicate'));
  });

  test('can be used in a query without encoding', async () => {
    const { body } = await company.test.get(`${list}?limit=1`).expect(200);
    expect(body.next_cursor).toMatch(/^[\w-]+$/);
  });
});
