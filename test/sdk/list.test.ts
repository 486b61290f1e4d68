import { InvalidInput } from '../../packages/sdk/src/index.js';
import { errorOf, fakeClient, problem, type Reply } from './fake-service';

const page = (ids: number[], next_cursor: string | null): Reply => ({
  status: 200,
  body: { data: ids.map((project_id) => ({ project_id })), has_more: next_cursor !== null, next_cursor },
});
const idsOf = (rows: { project_id: number }[]): number[] => rows.map((row) => row.project_id);

test('a list that nobody uses sends nothing', async () => {
  const { client, sent } = fakeClient([page([1], null)]);
  client.projects.list();
  await new Promise(setImmediate);
  expect(sent).toEqual([]);
});

test('await gives the first page, and its has_more says that it is not all', async () => {
  const { client, sent } = fakeClient([page([1, 2], 'a'), page([3], null)]);
  const list = client.projects.list();
  expect(await list).toMatchObject({ data: [{}, {}], has_more: true, next_cursor: 'a' });
  expect((await list.withResponse()).status).toBe(200);
  const rows: number[] = [];
  for await (const { project_id } of list) rows.push(project_id);
  expect(rows).toEqual([1, 2, 3]);
  // The first page was read once.
  expect(sent.map(({ url }) => new URL(url).search)).toEqual(['', '?cursor=a']);
});

test('a list is a promise with catch and finally', async () => {
  let isEnded = false;
  const { client } = fakeClient([problem(403, 'scope_missing')]);
  const caught = await client.projects
    .list()
    .finally(() => (isEnded = true))
    .catch((error: unknown) => (error as { code: string }).code);
  expect([caught, isEnded]).toEqual(['scope_missing', true]);
  const results = await Promise.allSettled([client.projects.list(), client.projects.retrieve(1)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a list whose first page failed reads it again', async () => {
  const { client, sent } = fakeClient([problem(403, 'scope_missing'), page([1], null)]);
  const list = client.projects.list();
  expect(await errorOf(list)).toMatchObject({ code: 'scope_missing' });
  expect((await list).data).toHaveLength(1);
  expect(sent).toHaveLength(2);
});

test('autoPagingToArray reads rows up to its limit, and no further page', async () => {
  const { client, sent } = fakeClient([page([1, 2], 'a'), page([3, 4], 'b'), page([5], null)]);
  expect(idsOf(await client.projects.list().autoPagingToArray({ limit: 3 }))).toEqual([1, 2, 3]);
  expect(sent).toHaveLength(2);
});

test.each([{}, { limit: 0 }, { limit: 1.5 }, { limit: '5' }])(
  'autoPagingToArray with %j needs a limit, and sends nothing',
  async (params) => {
    const { client, sent } = fakeClient([page([1], null)]);
    const error = await errorOf(client.projects.list().autoPagingToArray(params as { limit: number }));
    expect(error).toBeInstanceOf(InvalidInput);
    expect(error).toMatchObject({ field: 'limit' });
    expect(sent).toEqual([]);
  },
);

test('a list without pages is one page', async () => {
  const { client, sent } = fakeClient([page([1, 2], null)]);
  const rows = await client.projectsStories.list().autoPagingToArray({ limit: 100 });
  expect([idsOf(rows), sent.length]).toEqual([[1, 2], 1]);
});
