import { createTestDatabase, type TestDatabase } from '../support/database';
import { addProject, addStory } from '../support/catalogue';
import { operate } from '../support/operations';
import type { Operations } from '../../src/operator/commands/operations';

/** Archiving, restoring and reordering projects and stories. */
let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const change = <T>(work: (catalogue: Operations['catalogue']) => Promise<T>): Promise<T> =>
  operate(database, ({ catalogue }) => work(catalogue));
const order = async (): Promise<number[]> =>
  (await change((catalogue) => catalogue.list({ includeArchived: true }))).map(({ projectId }) => projectId);
const project = async (id: number) =>
  (
    await database.admin.query<{ status: string; numbers: string; is_touched: boolean }>(
      `SELECT status, published_story_numbers AS numbers, updated_at > '2026-06-01' AS is_touched
         FROM projects WHERE project_id = $1`,
      [id],
    )
  ).rows[0];
const forgetUpdates = () => database.admin.query(`UPDATE projects SET updated_at = '2026-01-01'`);

test('archiving and restoring change the named projects once', async () => {
  const [one, two] = [await addProject(database.admin), await addProject(database.admin)];
  await forgetUpdates();
  expect(await change((catalogue) => catalogue.setProjectStatus([String(one)], 'archived'))).toBe(1);
  expect(await project(one)).toMatchObject({ status: 'archived', is_touched: true });
  expect(await project(two)).toMatchObject({ status: 'active', is_touched: false });
  await forgetUpdates();
  expect(await change((catalogue) => catalogue.setProjectStatus([String(one)], 'archived'))).toBe(0);
  expect(await project(one)).toMatchObject({ is_touched: false });
  expect(await change((catalogue) => catalogue.setProjectStatus([String(one)], 'active'))).toBe(1);
  expect(await change((catalogue) => catalogue.list({ includeArchived: false }))).toHaveLength(2);
});

test('an unknown project is rejected, and no other named project changes', async () => {
  const one = await addProject(database.admin);
  await expect(
    change((catalogue) => catalogue.setProjectStatus([String(one), 'nothing'], 'archived')),
  ).rejects.toThrow('No project has the reference or project_id "nothing"');
  expect(await project(one)).toMatchObject({ status: 'active' });
});

test('a name that is the reference of one project and the id of another is rejected', async () => {
  const [one, two] = [await addProject(database.admin), await addProject(database.admin)];
  await database.admin.query(`UPDATE projects SET external_reference = $1 WHERE project_id = $2`, [
    String(one),
    two,
  ]);
  await expect(change((catalogue) => catalogue.setProjectStatus([String(one)], 'archived'))).rejects.toThrow(
    'reference of one project and the project_id of another',
  );
});

test('reordering puts the named projects first, keeps the order of the others, and changes no updated_at', async () => {
  const ids: number[] = [];
  for (const rank of [5, 5, 7, -1, 100]) ids.push(await addProject(database.admin, { rank }));
  const [a, b, c, d, e] = ids as [number, number, number, number, number];
  await forgetUpdates();
  expect(await order()).toEqual([d, a, b, c, e]);
  await change((catalogue) => catalogue.putFirst([String(e), String(b)]));
  expect(await order()).toEqual([e, b, d, a, c]);
  expect(await project(e)).toMatchObject({ is_touched: false });
  expect(await change((catalogue) => catalogue.putFirst([String(e), String(b)]))).toBe(0);
  await expect(change((catalogue) => catalogue.putFirst([String(a), String(a)]))).rejects.toThrow('twice');
});

test('archiving and restoring stories updates the published numbers of their project only', async () => {
  const [one, two] = [await addProject(database.admin), await addProject(database.admin)];
  for (const id of [one, one, one, two]) await addStory(database.admin, id);
  expect(await change((catalogue) => catalogue.setStoryStatus(String(one), [2], 'archived'))).toBe(1);
  expect(await project(one)).toMatchObject({ numbers: '{[1,2),[3,4)}' });
  expect(await change((catalogue) => catalogue.setStoryStatus(String(one), [1, 2, 3], 'archived'))).toBe(2);
  expect(await project(one)).toMatchObject({ numbers: '{}' });
  expect(await change((catalogue) => catalogue.setStoryStatus(String(one), [3], 'published'))).toBe(1);
  expect(await project(one)).toMatchObject({ numbers: '{[3,4)}' });
  expect(await project(two)).toMatchObject({ numbers: '{[1,2)}' });
  await expect(
    change((catalogue) => catalogue.setStoryStatus(String(one), [1, 9], 'published')),
  ).rejects.toThrow('no story with the number 9');
  expect(await project(one)).toMatchObject({ numbers: '{[3,4)}' });
});

test('contributions do not wait while the catalogue is changed', async () => {
  const id = await addProject(database.admin);
  await operate(database, async ({ catalogue }) => {
    await catalogue.setProjectStatus([String(id)], 'archived');
    // The lock that a contribution's foreign key takes.
    const client = await database.admin.connect();
    try {
      await client.query(`SET lock_timeout = '200ms'`);
      const other = await addProjectKeyShare(client, id);
      expect(other).toBe(1);
    } finally {
      client.release(true);
    }
  });
});

async function addProjectKeyShare(
  client: { query: (sql: string, values: unknown[]) => Promise<{ rowCount: number | null }> },
  id: number,
): Promise<number | null> {
  return (await client.query('SELECT FROM projects WHERE project_id = $1 FOR KEY SHARE', [id])).rowCount;
}
