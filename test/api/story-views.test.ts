import type { Test } from 'supertest';

import { addProject, addStory, archiveProject, archiveStory } from '../support/catalogue';
import type { Client } from '../support/client';
import { lockWaits } from '../support/lock-waits';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

/**
 * Recording that a user has viewed a story. This addition to the specification lets
 * has_unviewed_stories (2.1) change.
 */
let service: TestService;
let company: TestCompany;
let projectId: number;
let userHash: string;

const path = (storyId: number | string): string => `/company/integration/stories/${storyId}/views`;

const view = (storyId: number | string, user: unknown = userHash, client: Client = company.test): Test =>
  client.put(path(storyId), { user_hash: user });

/**
 * Whether the user has unviewed stories of the project. All three operations that show it must
 * agree.
 */
async function hasUnviewed(user = userHash): Promise<boolean> {
  const query = `?user_hash=${encodeURIComponent(user)}`;
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

async function viewedStories(user = userHash): Promise<number[]> {
  const { body } = await company.test
    .get(`/company/integration/get/project/${projectId}/stories?limit=1000&user_hash=${user}`)
    .expect(200);
  return (body.data as { story_id: number; is_viewed: boolean }[])
    .filter((story) => story.is_viewed)
    .map((story) => story.story_id);
}

/** The stored rows of views, with their version. */
async function viewRows(): Promise<{ version: string; numbers: string }[]> {
  const { rows } = await service.database.admin.query<{ version: string; numbers: string }>(
    `SELECT v.xmin AS version, v.viewed_story_numbers AS numbers
       FROM story_views v JOIN users u USING (environment_id, user_id) WHERE u.user_hash = $1`,
    [userHash],
  );
  return rows;
}

async function userCountOf(user: string): Promise<number> {
  const { rows } = await service.database.admin.query('SELECT FROM users WHERE user_hash = $1', [user]);
  return rows.length;
}

let userCount = 0;

beforeAll(async () => {
  // Fifty concurrent requests may wait long in the queue on a busy machine.
  service = await startService({
    settings: { DATABASE_ACQUIRE_TIMEOUT_MS: '10000', DATABASE_LOCK_TIMEOUT_MS: '5000' },
  });
  company = await service.addCompany();
});

afterAll(() => service.stop());

beforeEach(async () => {
  await service.database.admin.query(`UPDATE projects SET status = 'archived'`);
  projectId = await addProject(service.database.admin);
  userHash = `viewer-${(userCount += 1)}`;
});

describe('a view', () => {
  test('gets 204 without a body', async () => {
    const response = await view(await addStory(service.database.admin, projectId)).expect(204);
    expect(response.text).toBe('');
    expect(response.get('Cache-Control')).toBe('no-store');
    expect(response.get('Environment')).toBe('test');
  });

  test('is recorded once, and repeats write nothing', async () => {
    const storyId = await addStory(service.database.admin, projectId);
    await view(storyId).expect(204);
    const recorded = await viewRows();
    expect(recorded).toHaveLength(1);
    for (let repeat = 0; repeat < 3; repeat += 1) await view(storyId).expect(204);
    expect(await viewRows()).toEqual(recorded);
    expect(await viewedStories()).toEqual([storyId]);
  });

  test('of the story with the same number in another project is a different view', async () => {
    await view(await addStory(service.database.admin, await addProject(service.database.admin))).expect(204);
    const storyId = await addStory(service.database.admin, projectId);
    await view(storyId).expect(204);
    expect(await viewRows()).toHaveLength(2);
    expect(await viewedStories()).toEqual([storyId]);
  });

  test('by an existing user takes no number from the sequence, repeated or not', async () => {
    const numbersHandedOut = async (): Promise<unknown> => {
      const sequence = 'SELECT last_value FROM users_user_id_seq';
      return (await service.database.admin.query<{ last_value: string }>(sequence)).rows[0]?.last_value;
    };
    const [first, second] = [
      await addStory(service.database.admin, projectId),
      await addStory(service.database.admin, projectId),
    ];
    await view(first).expect(204);
    const before = await numbersHandedOut();
    await view(first).expect(204);
    await view(second).expect(204);
    expect(await numbersHandedOut()).toBe(before);
  });

  test('of an archived story succeeds without effect, also for a new user', async () => {
    const seen = await addStory(service.database.admin, projectId);
    const archived = await addStory(service.database.admin, projectId);
    await archiveStory(service.database.admin, archived);
    await view(archived).expect(204);
    expect(await viewRows()).toEqual([]);
    expect(await userCountOf(userHash)).toBe(0);

    await view(seen).expect(204);
    const recorded = await viewRows();
    await view(archived).expect(204);
    expect(await viewRows()).toEqual(recorded);
  });

  test("of an archived project's story counts when the project is active again", async () => {
    const storyId = await addStory(service.database.admin, projectId);
    await archiveProject(service.database.admin, projectId);
    await view(storyId).expect(204);
    await service.database.admin.query(`UPDATE projects SET status = 'active' WHERE project_id = $1`, [
      projectId,
    ]);
    expect(await hasUnviewed()).toBe(false);
  });

  test.each(['2147483647', '2147483648', '999999999999999999'])(
    'of the story %s, which does not exist, gets 404',
    async (storyId) => {
      const response = await view(storyId).expect(404);
      expect(response.body).toMatchObject({ code: 'resource_not_found', retryable: false });
    },
  );

  test.each(['0', '-1', '01', 'abc', '1%00', '1.0', '9'.repeat(30)])(
    'of the story "%s" gets 400',
    async (storyId) => {
      const response = await view(storyId).expect(400);
      expect(response.body).toMatchObject({
        code: 'invalid_request',
        errors: [{ parameter: 'story_id', code: 'invalid_format' }],
      });
    },
  );

  test.each([
    ['missing', undefined, 'required'],
    ['empty', '', 'invalid_length'],
    ['null', null, 'invalid_type'],
    ['a number', 7, 'invalid_type'],
    ['an array', ['user'], 'invalid_type'],
    ['with a space', 'a b', 'invalid_format'],
    ['with a NUL', 'a\u0000', 'invalid_format'],
    ['not ASCII', 'é', 'invalid_format'],
    ['of 1,025 characters', 'x'.repeat(1025), 'invalid_length'],
  ])('with a user_hash that is %s is rejected with 400', async (_what, user, code) => {
    const storyId = await addStory(service.database.admin, projectId);
    const response = await company.test.put(path(storyId), { user_hash: user }).expect(400);
    expect(response.body).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/user_hash', code }],
    });
  });

  test('ignores other members of its body', async () => {
    const storyId = await addStory(service.database.admin, projectId);
    await company.test.put(path(storyId), { user_hash: userHash, seconds: 3, story: 1 }).expect(204);
    expect(await viewedStories()).toEqual([storyId]);
  });

  test.each(['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', 'text/plain'])(
    'as %s is rejected with 415',
    async (mediaType) => {
      const storyId = await addStory(service.database.admin, projectId);
      const body = '--x\r\nContent-Disposition: form-data; name="user_hash"\r\n\r\nuser\r\n--x--\r\n';
      const response = await company.test
        .put(path(storyId))
        .set('Content-Type', mediaType)
        .send(body)
        .expect(415);
      expect(response.body.code).toBe('unsupported_media_type');
    },
  );

  test.each(['', '{', '[]', 'null', '"user"'])('with the body %j is rejected with 400', async (body) => {
    const storyId = await addStory(service.database.admin, projectId);
    const test = company.test.put(path(storyId)).set('Content-Type', 'application/json');
    const response = await test.send(body).expect(400);
    expect(response.body.code).toBe('malformed_body');
  });
});

describe('concurrent views', () => {
  test('of fifty stories by one new user all count', async () => {
    const stories: number[] = [];
    for (let count = 0; count < 50; count += 1)
      stories.push(await addStory(service.database.admin, projectId));
    await Promise.all(stories.map((storyId) => view(storyId).expect(204)));

    expect((await viewedStories()).toSorted((a, b) => a - b)).toEqual(stories);
    expect(await viewRows()).toMatchObject([{ numbers: '{[1,51)}' }]);
    expect(await hasUnviewed()).toBe(false);
  });

  test('of one story by one new user create one user and one view', async () => {
    const storyId = await addStory(service.database.admin, projectId);
    await Promise.all(Array.from({ length: 50 }, () => view(storyId).expect(204)));
    expect(await viewRows()).toMatchObject([{ numbers: '{[1,2)}' }]);
    expect(await userCountOf(userHash)).toBe(1);
  });

  test('wait for the user that a concurrent request is creating, and then count', async () => {
    const stories = [
      await addStory(service.database.admin, projectId),
      await addStory(service.database.admin, projectId),
    ];
    const elsewhere = await service.database.admin.connect();
    try {
      await elsewhere.query('BEGIN');
      await elsewhere.query(
        `INSERT INTO users (environment_id, user_hash)
         SELECT environment_id, $2 FROM key_pairs WHERE api_key = $1`,
        [company.test.apiKey, userHash],
      );
      const views = Promise.all(stories.map((storyId) => view(storyId).expect(204)));
      await until('both views wait', async () => (await lockWaits(service.database.admin)).length === 2);
      await elsewhere.query('COMMIT');
      await views;
    } finally {
      elsewhere.release(true);
    }
    expect((await viewedStories()).toSorted((a, b) => a - b)).toEqual(stories);
    expect(await userCountOf(userHash)).toBe(1);
  });

  test('of one story by fifty new users create fifty users and views', async () => {
    const storyId = await addStory(service.database.admin, projectId);
    const users = Array.from({ length: 50 }, (_none, number) => `${userHash}-of-${number}`);
    await Promise.all(users.map((user) => view(storyId, user).expect(204)));
    const unviewed = await Promise.all(users.map((user) => hasUnviewed(user)));
    expect(unviewed).toEqual(users.map(() => false));
  });
});
