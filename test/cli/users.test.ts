import type { PoolClient } from 'pg';

import { addProject, addStory } from '../support/catalogue';
import { lockWaits } from '../support/lock-waits';
import { operate } from '../support/operations';
import { calculateFigures, makeFiguresDue } from '../support/project-figures';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { verificationOf } from '../support/verification';
import { OperatorError } from '../../src/shared/operator-error';

/** Forgetting a user while the service runs. */
let service: TestService;
let company: TestCompany;
let projectId: number;
let storyId: number;
let count = 0;
const base = '/company/integration';
const newHash = (): string => `user-${(count += 1)}`;

beforeAll(async () => {
  // Lock waits are intended here, even long ones on a slow machine.
  service = await startService({
    settings: {
      DATABASE_LOCK_TIMEOUT_MS: '20000',
      DATABASE_STATEMENT_TIMEOUT_MS: '20000',
      DATABASE_ACQUIRE_TIMEOUT_MS: '20000',
      DATABASE_ANSWER_TIMEOUT_MS: '30000',
    },
  });
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
  storyId = await addStory(service.database.admin, projectId);
});
afterAll(() => service.stop());

const environment = () => ({ company: company.name, kind: 'test' as const });
const create = (userHash: string, key?: string) => {
  const body = { project_id: projectId, amount: '5.00', user_hash: userHash, name: 'Amelia' };
  const request = company.test.put(`${base}/contributions/create`, body);
  return key === undefined ? request : request.set('Idempotency-Key', key);
};
const complete = (id: string) => company.test.put(`${base}/contributions/${id}`, { status: 'completed' });
const view = (userHash: string) =>
  company.test.put(`${base}/stories/${storyId}/views`, { user_hash: userHash });
const forget = (userHash: string) =>
  operate(service.database, ({ users }) => users.forget(environment(), { userHash }));

async function contribute(userHash: string): Promise<string> {
  return ((await create(userHash).expect(201)).body as { transaction_id: string }).transaction_id;
}

async function rowsOf(userId: string): Promise<{ supports: number; views: number; transactions: number }> {
  const { rows } = await service.database.admin.query<{
    supports: number;
    views: number;
    transactions: number;
  }>(
    `SELECT (SELECT count(*)::integer FROM supports WHERE user_id = $1) AS supports,
            (SELECT count(*)::integer FROM story_views WHERE user_id = $1) AS views,
            (SELECT count(*)::integer FROM transactions WHERE user_id = $1) AS transactions`,
    [userId],
  );
  return rows[0]!;
}

async function userIdOf(userHash: string): Promise<string> {
  const { rows } = await service.database.admin.query<{ user_id: string }>(
    'SELECT user_id FROM users WHERE user_hash = $1',
    [userHash],
  );
  return rows[0]!.user_id;
}

async function verify(): Promise<number> {
  return (await verificationOf(service.database.ownerUrl)).violationCount;
}

/** Runs the first half of forgetting, starts another operation, and then finishes. */
async function whileForgetting(userHash: string, act: () => Promise<number>): Promise<number> {
  const userId = await userIdOf(userHash);
  let answer: Promise<number> | undefined;
  await operate(service.database, async ({ users }) => {
    await users.forget(environment(), { userHash });
    answer = act();
    await until(
      'somebody waits for the user',
      async () => (await lockWaits(service.database.admin)).length === 1,
    );
  });
  const status = await answer!;
  expect(await rowsOf(userId)).toMatchObject({ supports: 0, views: 0 });
  return status;
}

test('forgetting clears the user and removes supports and views; contributions stay, and verify finds no violation', async () => {
  const [userHash, other] = [newHash(), newHash()];
  for (const hash of [userHash, other]) {
    await complete(await contribute(hash)).expect(200);
    await view(hash).expect(204);
  }
  const pending = await contribute(userHash);
  const [userId, otherId] = [await userIdOf(userHash), await userIdOf(other)];
  expect(await forget(userHash)).toEqual({ userId, supports: 1, storyViews: 1 });
  expect(await rowsOf(userId)).toEqual({ supports: 0, views: 0, transactions: 2 });
  expect(await rowsOf(otherId)).toEqual({ supports: 1, views: 1, transactions: 1 });
  const { rows } = await service.database.admin.query(
    'SELECT user_hash, first_name, forgotten_at FROM users WHERE user_id = $1',
    [userId],
  );
  expect(rows).toEqual([{ user_hash: null, first_name: null, forgotten_at: expect.any(Date) }]);
  await complete(pending).expect(200);
  expect(await verify()).toBe(0);
  await makeFiguresDue(service.database);
  await calculateFigures(service.database);
  const project = await company.test.get(`${base}/get/project/${projectId}`).expect(200);
  expect(project.body).toMatchObject({ raised_amount: '15.00', supporters_count: 1 });
  await expect(
    operate(service.database, ({ users }) => users.forget(environment(), { userId })),
  ).rejects.toThrow('was forgotten at');
  await expect(forget(userHash)).rejects.toThrow('no such user');
});

test('a completion during forgetting succeeds and leaves no support', async () => {
  const userHash = newHash();
  const id = await contribute(userHash);
  expect(await whileForgetting(userHash, async () => (await complete(id)).status)).toBe(200);
  expect(await verify()).toBe(0);
});

test('a story view during forgetting belongs to a new user', async () => {
  const userHash = newHash();
  await contribute(userHash);
  expect(await whileForgetting(userHash, async () => (await view(userHash)).status)).toBe(204);
  expect(await rowsOf(await userIdOf(userHash))).toMatchObject({ views: 1 });
  expect(await verify()).toBe(0);
});

test('forgetting during a completion waits for it and removes its support', async () => {
  const userHash = newHash();
  const id = await contribute(userHash);
  const userId = await userIdOf(userHash);
  const blocker: PoolClient = await service.database.admin.connect();
  try {
    // The lock on the user that a completion holds until it commits.
    await blocker.query('BEGIN');
    await blocker.query(
      `INSERT INTO supports SELECT environment_id, user_id, $2, now(), now() FROM users WHERE user_id = $1`,
      [userId, projectId],
    );
    await blocker.query(
      `INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters)
       SELECT environment_id, $2, 0, 1 FROM users WHERE user_id = $1`,
      [userId, projectId],
    );
    const forgetting = forget(userHash);
    await until('forgetting waits', async () => (await lockWaits(service.database.admin)).length === 1);
    await blocker.query('COMMIT');
    expect(await forgetting).toMatchObject({ supports: 1 });
  } finally {
    blocker.release();
  }
  expect(await rowsOf(userId)).toMatchObject({ supports: 0 });
  await complete(id).expect(200);
});

test('one of two concurrent commands that forget a user succeeds, and the other says so', async () => {
  const userHash = newHash();
  await complete(await contribute(userHash)).expect(200);
  const results = await Promise.allSettled([forget(userHash), forget(userHash)]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const [done] = results.filter((result) => result.status === 'fulfilled');
  expect(done?.value).toMatchObject({ supports: 1 });
  const [refused] = results.filter((result) => result.status === 'rejected');
  expect(refused?.reason).toBeInstanceOf(OperatorError);
  expect(await verify()).toBe(0);
});

test('a replayed create of a forgotten user gets the same response and creates no user', async () => {
  const userHash = newHash();
  const first = await create(userHash, 'forgotten-key').expect(201);
  await forget(userHash);
  const again = await create(userHash, 'forgotten-key').expect(201);
  expect(again.body).toEqual(first.body);
  expect(again.get('Idempotent-Replayed')).toBe('true');
  const { rows } = await service.database.admin.query('SELECT FROM users WHERE user_hash = $1', [userHash]);
  expect(rows).toEqual([]);
  const other = { project_id: projectId, amount: '6.00', user_hash: userHash };
  await company.test
    .put(`${base}/contributions/create`, other)
    .set('Idempotency-Key', 'forgotten-key')
    .expect(422);
});

test('the same hash creates a new user after forgetting', async () => {
  const userHash = newHash();
  await complete(await contribute(userHash)).expect(200);
  await forget(userHash);
  const answer = await company.test.get(`${base}/get/project/${projectId}?user_hash=${userHash}`).expect(200);
  expect(answer.body).toMatchObject({ is_supported: false });
  await contribute(userHash);
  expect(await rowsOf(await userIdOf(userHash))).toMatchObject({ transactions: 1 });
});

test('a repeated story view writes nothing', async () => {
  const userHash = newHash();
  await view(userHash).expect(204);
  const versions = async () =>
    (
      await service.database.admin.query<Record<string, string>>(
        `SELECT u.xmin::text, u.xmax::text, v.xmin::text AS view, v.xmax::text AS view_lock
           FROM users u JOIN story_views v USING (environment_id, user_id) WHERE u.user_hash = $1`,
        [userHash],
      )
    ).rows;
  const before = await versions();
  expect(before).toHaveLength(1);
  await view(userHash).expect(204);
  expect(await versions()).toEqual(before);
});

test('an export has all data about one user and none about others', async () => {
  const [userHash, other] = [newHash(), newHash()];
  for (const hash of [userHash, other]) {
    await complete(await contribute(hash)).expect(200);
    await view(hash).expect(204);
  }
  const { held } = await operate(service.database, ({ users }) =>
    users.readHeld(environment(), { userHash }),
  );
  expect(held.user).toMatchObject({ user_hash: userHash, name: 'Amelia', forgotten_at: null });
  expect(held.contributions).toEqual([
    expect.objectContaining({ amount: '5.00', status: 'completed', project_id: projectId }),
  ]);
  expect(held.supports).toEqual([expect.objectContaining({ project_id: projectId })]);
  expect(held.story_views).toEqual([expect.objectContaining({ story_id: storyId })]);
  expect(JSON.stringify(held)).not.toContain(`"${other}"`);
});

test('an export prints the exact user_id of a user above 2^53', async () => {
  // Servers of a Citus cluster with a high number assign such ids.
  const [userHash, userId] = [newHash(), '11540474045136897'];
  await service.database.admin.query(
    `INSERT INTO users (environment_id, user_id, user_hash) OVERRIDING SYSTEM VALUE
     SELECT environment_id, $1, $2 FROM environments JOIN companies USING (company_id)
      WHERE name = $3 AND kind = 'test' AND retired_at IS NULL`,
    [userId, userHash, company.name],
  );
  for (const name of [{ userHash }, { userId }]) {
    const exported = await operate(service.database, ({ users }) => users.readHeld(environment(), name));
    expect(exported).toMatchObject({ userId, held: { user: { user_id: userId } } });
  }
});

test('an export and forgetting include test environments that were reset', async () => {
  const [userHash, other] = [newHash(), newHash()];
  for (let generation = 1; generation <= 3; generation += 1) {
    await complete(await contribute(userHash)).expect(200);
    await contribute(other);
    await view(userHash).expect(204);
    if (generation < 3) await company.test.post(`${base}/sandbox/reset`, {}).expect(200);
  }
  const { held } = await operate(service.database, ({ users }) =>
    users.readHeld(environment(), { userHash }),
  );
  const { before_resets: earlier = [] } = held;
  for (const each of [held, ...earlier])
    expect(each).toMatchObject({ user: { user_hash: userHash }, contributions: [{}], story_views: [{}] });
  expect(earlier).toHaveLength(2);
  expect(JSON.stringify(held)).not.toContain(`"${other}"`);
  expect(await forget(userHash)).toMatchObject({ supports: 3, storyViews: 3 });
  const { rows } = await service.database.admin.query('SELECT FROM users WHERE user_hash = $1', [userHash]);
  expect(rows).toEqual([]);
  await expect(forget(userHash)).rejects.toThrow(OperatorError);
  expect(await verify()).toBe(0);
});
