import type { Client } from '../../support/client';
import { addProject, addStory } from '../../support/catalogue';
import { startService, type TestCompany, type TestService } from '../../support/service';

/**
 * Users of two environments with the same user_id. It is unique within an environment only: when
 * the databases of two installations are merged or distributed, two environments can have the same
 * user_id.
 */
let service: TestService;
let company: TestCompany;
/**
 * One environment with a lower number and one with a higher number, so that no scan order finds the
 * right one first by chance.
 */
let earlier: TestCompany;
let other: TestCompany;
let projectId: number;
let storyId: number;

const contributions = '/company/integration/contributions';
let userCount = 0;

async function query(sql: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await service.database.admin.query<Record<string, unknown>>(sql, values)).rows;
}

async function environmentOf({ apiKey }: Client): Promise<number> {
  const [row] = await query('SELECT environment_id FROM key_pairs WHERE api_key = $1', [apiKey]);
  return Number(row!['environment_id']);
}

async function addTwin(environmentId: number, userId: unknown, userHash: string): Promise<void> {
  await query(
    `INSERT INTO users (environment_id, user_id, user_hash, first_name) OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, 'Olga')`,
    [environmentId, userId, userHash],
  );
}

/**
 * Creates a user of the company with a pending contribution. Each of the two other companies, one
 * with a lower and one with a higher number, gets a user with the same number.
 */
async function createTwins(otherHash?: string) {
  const userHash = `twin-${(userCount += 1)}`;
  const body = { project_id: projectId, amount: '10.00', user_hash: userHash, name: 'Amelia' };
  const key = `key ${userHash}`;
  const [next] = await query(
    'SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END AS user_id FROM users_user_id_seq',
    [],
  );
  await addTwin(await environmentOf(earlier.test), next!['user_id'], `earlier-${userHash}`);
  const response = await company.test
    .put(`${contributions}/create`, body)
    .set('Idempotency-Key', key)
    .expect(201);
  const id = String(response.body.transaction_id);
  const [row] = await query('SELECT user_id FROM transactions WHERE transaction_id = $1', [id]);
  const userId = row!['user_id'];
  expect(userId).toBe(next!['user_id']);
  const otherEnvironment = await environmentOf(other.test);
  await addTwin(otherEnvironment, userId, otherHash ?? `other-${userHash}`);
  const otherUser = { environment_id: otherEnvironment, user_id: userId };
  return { id, body, key, userHash, userId, otherUser };
}

const complete = (id: string) => company.test.put(`${contributions}/${id}`, { status: 'completed' });

const supportsOf = (userId: unknown) =>
  query('SELECT environment_id, project_id FROM supports WHERE user_id = $1', [userId]);

beforeAll(async () => {
  service = await startService();
  earlier = await service.addCompany();
  company = await service.addCompany();
  other = await service.addCompany();
  projectId = await addProject(service.database.admin);
  storyId = await addStory(service.database.admin, projectId);
});
afterAll(() => service.stop());

test('a contribution is found and listed once, with the user of its own environment', async () => {
  const { id, userHash } = await createTwins();
  const expected = { transaction_id: id, user_hash: userHash, name: 'Amelia' };
  const found = await company.test.get(`${contributions}/${id}`).expect(200);
  expect(found.body).toMatchObject(expected);
  const listed = await company.test.get(`${contributions}?user_hash=${userHash}`).expect(200);
  expect(listed.body.data).toEqual([expect.objectContaining(expected)]);
  const all = await company.test.get(contributions).expect(200);
  const ids = (all.body.data as { transaction_id: string }[]).map(({ transaction_id }) => transaction_id);
  expect(ids.filter((listedId) => listedId === id)).toHaveLength(1);
});

test('a repeated create is compared with the user of its own environment', async () => {
  const { id, body, key } = await createTwins();
  for (const repeat of [1, 2]) {
    const response = await company.test
      .put(`${contributions}/create`, body)
      .set('Idempotency-Key', key)
      .expect(201);
    expect([repeat, response.body.transaction_id]).toEqual([repeat, id]);
  }
});

test.each(['earlier', 'other'])(
  'a repeated create with the user of the %s environment is a different request',
  async (whose) => {
    const { body, key, userHash } = await createTwins();
    const response = await company.test
      .put(`${contributions}/create`, { ...body, user_hash: `${whose}-${userHash}` })
      .set('Idempotency-Key', key)
      .expect(422);
    expect(response.body.code).toBe('idempotency_key_reused');
  },
);

test('a completion makes the user of its own environment a supporter, and no other', async () => {
  const { id, userId } = await createTwins();
  await complete(id).expect(200);
  expect(await supportsOf(userId)).toEqual([
    { environment_id: await environmentOf(company.test), project_id: projectId },
  ]);
});

test('a completion for an erased user records no supporter', async () => {
  const { id, userId } = await createTwins();
  await query(
    `UPDATE users SET user_hash = NULL, first_name = NULL, forgotten_at = now() WHERE environment_id = $1 AND user_id = $2`,
    [await environmentOf(company.test), userId],
  );
  await complete(id).expect(200);
  expect(await supportsOf(userId)).toEqual([]);
});

test('a later name changes the user of its own environment only, even with equal hashes', async () => {
  const { body, userId, otherUser } = await createTwins(`twin-${userCount + 1}`);
  await company.test.put(`${contributions}/create`, { ...body, name: 'Emmeline' }).expect(201);
  expect(
    await query('SELECT environment_id, first_name FROM users WHERE user_id = $1 ORDER BY environment_id', [
      userId,
    ]),
  ).toEqual([
    { environment_id: await environmentOf(earlier.test), first_name: 'Olga' },
    { environment_id: await environmentOf(company.test), first_name: 'Emmeline' },
    { environment_id: otherUser.environment_id, first_name: 'Olga' },
  ]);
});

describe("the other user's supports and views", () => {
  let userHash: string;

  beforeAll(async () => {
    const twins = await createTwins();
    userHash = twins.userHash;
    const { environment_id, user_id } = twins.otherUser;
    await query(
      `INSERT INTO supports (environment_id, user_id, project_id, first_supported_at, last_supported_at)
       VALUES ($1, $2, $3, now(), now())`,
      [environment_id, user_id, projectId],
    );
    await query(
      `INSERT INTO story_views (environment_id, user_id, project_id, viewed_story_numbers) VALUES ($1, $2, $3, '{[1,2)}')`,
      [environment_id, user_id, projectId],
    );
  });

  const ofUser = (path: string) =>
    company.test.get(`/company/integration/${path}?user_hash=${userHash}`).expect(200);
  const untouched = { project_id: expect.any(Number), is_supported: false, has_unviewed_stories: true };

  test('appear in no main component', async () => {
    const response = await ofUser('projects-stories');
    expect(response.body.data).toEqual([expect.objectContaining(untouched)]);
  });

  test('appear in no project record or list', async () => {
    expect((await ofUser(`get/project/${projectId}`)).body).toMatchObject(untouched);
    expect((await ofUser('get/projects')).body.data).toEqual([expect.objectContaining(untouched)]);
  });

  test('appear in no story', async () => {
    const response = await ofUser(`get/project/${projectId}/stories`);
    expect(response.body.data).toEqual([expect.objectContaining({ story_id: storyId, is_viewed: false })]);
  });

  test('do not grow when this user views a story', async () => {
    await company.test
      .put(`/company/integration/stories/${storyId}/views`, { user_hash: userHash })
      .expect((response) => {
        expect(response.ok).toBe(true);
      });
    const [row] = await query(
      'SELECT count(*)::integer AS count FROM story_views v JOIN users u USING (environment_id, user_id) WHERE u.user_hash = $1',
      [userHash],
    );
    expect(row).toEqual({ count: 1 });
  });
});
