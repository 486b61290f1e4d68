import { addProject } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

/** The times that a completion records when clocks or earlier completions are wrong. */
let service: TestService;
let company: TestCompany;

const contributions = '/company/integration/contributions';
const inAnHour = (): Date => new Date(Date.now() + 3_600_000);
const anHourAgo = (): Date => new Date(Date.now() - 3_600_000);

async function query(sql: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await service.database.admin.query<Record<string, unknown>>(sql, values)).rows;
}

let userCount = 0;
async function createPending() {
  const projectId = await addProject(service.database.admin);
  const response = await company.test
    .put(`${contributions}/create`, {
      project_id: projectId,
      amount: '25.50',
      user_hash: `user-${(userCount += 1)}`,
    })
    .expect(201);
  const id = String(response.body.transaction_id);
  const [row] = await query('SELECT environment_id, user_id FROM transactions WHERE transaction_id = $1', [
    id,
  ]);
  return { id, projectId, environmentId: row!['environment_id'], userId: row!['user_id'] };
}

type Pending = Awaited<ReturnType<typeof createPending>>;

const complete = (id: string) =>
  company.test.put(`${contributions}/${id}`, { status: 'completed' }).expect(200);

async function completedAt(id: string): Promise<Date> {
  const [row] = await query('SELECT completed_at FROM transactions WHERE transaction_id = $1', [id]);
  return row!['completed_at'] as Date;
}

/** Stores the support that an earlier completion left on a server with a wrong clock. */
const addSupport = ({ environmentId, userId, projectId }: Pending, first: Date, last: Date) =>
  query(
    `INSERT INTO supports (environment_id, user_id, project_id, first_supported_at, last_supported_at)
     VALUES ($1, $2, $3, $4, $5)`,
    [environmentId, userId, projectId, first, last],
  );

async function supportOf({ environmentId, userId }: Pending): Promise<Record<string, unknown> | undefined> {
  const [row] = await query(
    'SELECT first_supported_at AS first, last_supported_at AS last FROM supports WHERE environment_id = $1 AND user_id = $2',
    [environmentId, userId],
  );
  return row;
}

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
});
afterAll(() => service.stop());

describe('the time of a completion', () => {
  test('is that of its statement', async () => {
    const { id } = await createPending();
    await service.database.admin.query('SELECT pg_sleep(0.05)');
    const [before] = await query('SELECT clock_timestamp() AS now', []);
    await complete(id);
    const [after] = await query('SELECT clock_timestamp() AS now', []);
    const time = (await completedAt(id)).getTime();
    expect(time).toBeGreaterThanOrEqual((before!['now'] as Date).getTime());
    expect(time).toBeLessThanOrEqual((after!['now'] as Date).getTime());
  });

  test('is the time of the creation if that is later because the clock was set back', async () => {
    const { id } = await createPending();
    const createdAt = inAnHour();
    await query('ALTER TABLE transactions DISABLE TRIGGER transactions_guard', []);
    await query('UPDATE transactions SET created_at = $2 WHERE transaction_id = $1', [id, createdAt]);
    await query('ALTER TABLE transactions ENABLE TRIGGER transactions_guard', []);
    await complete(id);
    expect(await completedAt(id)).toEqual(createdAt);
  });
});

describe('the times of a support', () => {
  test('include an earlier completion', async () => {
    const pending = await createPending();
    const earlier = anHourAgo();
    await addSupport(pending, earlier, earlier);
    await complete(pending.id);
    expect(await supportOf(pending)).toEqual({ first: earlier, last: await completedAt(pending.id) });
  });

  test('include a later completion', async () => {
    const pending = await createPending();
    const later = inAnHour();
    await addSupport(pending, later, later);
    await complete(pending.id);
    expect(await supportOf(pending)).toEqual({ first: await completedAt(pending.id), last: later });
  });

  test('do not change for another project, another user or another environment', async () => {
    const pending = await createPending();
    const [otherUser, otherCompany] = [await createPending(), await service.addCompany()];
    const [environment] = await query('SELECT environment_id FROM key_pairs WHERE api_key = $1', [
      otherCompany.test.apiKey,
    ]);
    const twin = { ...pending, environmentId: environment!['environment_id'] };
    await query(
      `INSERT INTO users (environment_id, user_id, user_hash) OVERRIDING SYSTEM VALUE VALUES ($1, $2, 'twin')`,
      [twin.environmentId, twin.userId],
    );
    const earlier = anHourAgo();
    const others = [
      { ...pending, projectId: otherUser.projectId },
      { ...otherUser, projectId: pending.projectId },
      twin,
    ];
    for (const one of [pending, ...others]) await addSupport(one, earlier, earlier);
    await complete(pending.id);
    const changed = await query(
      'SELECT environment_id, user_id, project_id FROM supports WHERE first_supported_at = $1 AND last_supported_at > $1',
      [earlier],
    );
    const { environmentId, userId, projectId } = pending;
    expect(changed).toEqual([{ environment_id: environmentId, user_id: userId, project_id: projectId }]);
  });
});

test('a completion for an erased user records no supporter', async () => {
  const pending = await createPending();
  await query(
    `UPDATE users SET user_hash = NULL, first_name = NULL, forgotten_at = now() WHERE environment_id = $1 AND user_id = $2`,
    [pending.environmentId, pending.userId],
  );
  await complete(pending.id);
  expect(await supportOf(pending)).toBeUndefined();
});

test('a pair with an expiry time can complete until that time', async () => {
  const { apiKey, apiSecret } = await service.keyPairs.issue({
    company: company.name,
    kind: 'test',
    scopes: ['contributions:complete'],
    expiresAt: inAnHour(),
  });
  const { id } = await createPending();
  const response = await service.anonymous
    .raw('put', `${contributions}/${id}`)
    .set({ 'API-Key': apiKey, 'API-Secret': apiSecret })
    .send({ status: 'completed' });
  expect(response.status).toBe(200);
});
