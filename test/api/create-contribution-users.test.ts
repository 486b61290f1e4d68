import { addProject } from '../support/catalogue';
import { lockWaits } from '../support/lock-waits';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

/**
 * A create changes as little as possible about its user. It changes nothing if it is rejected or
 * repeated.
 */
let service: TestService;
let company: TestCompany;
let projectId: number;

let userCount = 0;
const newUser = (): string => `user-${(userCount += 1)}`;

async function query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await service.database.admin.query<Record<string, unknown>>(sql, values)).rows;
}

function create(userHash: string, more: { name?: string; amount?: string } = {}, key?: string) {
  const request = company.test.put('/company/integration/contributions/create', {
    project_id: projectId,
    amount: '25.00',
    user_hash: userHash,
    ...more,
  });
  return key === undefined ? request : request.set('Idempotency-Key', key);
}

/** The user's row; `version` changes with every write to it. */
async function userOf(userHash: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await query('SELECT first_name, ctid::text AS version FROM users WHERE user_hash = $1', [
    userHash,
  ]);
  return row;
}

const untilSomebodyWaits = () =>
  until('the create waits for the user', async () => (await lockWaits(service.database.admin)).length === 1);

async function numbersHandedOut(): Promise<unknown> {
  const [row] = await query(`SELECT last_value FROM users_user_id_seq`);
  return row!['last_value'];
}

beforeAll(async () => {
  // A test makes one request wait for a lock, which may take long on a busy machine.
  service = await startService({ settings: { DATABASE_LOCK_TIMEOUT_MS: '1900' } });
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
});
afterAll(() => service.stop());

describe('an existing user', () => {
  test('is not updated when the name has not changed', async () => {
    const userHash = newUser();
    await create(userHash, { name: 'Amelia' }).expect(201);
    const before = await userOf(userHash);
    await create(userHash, { name: 'Amelia' }).expect(201);
    await create(userHash).expect(201);
    expect(await userOf(userHash)).toEqual(before);
  });

  test('takes no number from the sequence', async () => {
    const userHash = newUser();
    await create(userHash).expect(201);
    const before = await numbersHandedOut();
    await create(userHash).expect(201);
    expect(await numbersHandedOut()).toBe(before);
    await create(newUser()).expect(201);
    expect(await numbersHandedOut()).not.toBe(before);
  });
});

describe('a repeat with the same idempotency key', () => {
  test('does not change the name', async () => {
    const userHash = newUser();
    await create(userHash, { name: 'Amelia' }, 'renaming').expect(201);
    const before = await userOf(userHash);
    await create(userHash, { name: 'Emmeline' }, 'renaming').expect(201);
    expect(await userOf(userHash)).toEqual(before);
  });

  test('and other content creates no user and renames none', async () => {
    const [userHash, known, unknown] = [newUser(), newUser(), newUser()];
    await create(userHash, {}, 'another').expect(201);
    await create(known, { name: 'Amelia' }).expect(201);
    const before = await userOf(known);
    await create(unknown, { name: 'Olga' }, 'another').expect(422);
    await create(known, { name: 'Olga' }, 'another').expect(422);
    expect(await userOf(unknown)).toBeUndefined();
    expect(await userOf(known)).toEqual(before);
  });
});

test('a create waits for a user that a concurrent request is creating, and the user is created once', async () => {
  const userHash = newUser();
  await create(userHash).expect(201);
  const [first] = await query('SELECT environment_id FROM users WHERE user_hash = $1', [userHash]);
  const [sameUser, other] = [newUser(), await service.database.admin.connect()];
  try {
    await other.query('BEGIN');
    await other.query('INSERT INTO users (environment_id, user_hash) VALUES ($1, $2)', [
      first!['environment_id'],
      sameUser,
    ]);
    const response = create(sameUser, { name: 'Amelia' }).then(({ status }) => status);
    await untilSomebodyWaits();
    await other.query('COMMIT');
    expect(await response).toBe(201);
  } finally {
    other.release();
  }
  expect(await query('SELECT first_name FROM users WHERE user_hash = $1', [sameUser])).toEqual([
    { first_name: 'Amelia' },
  ]);
});

test('a name that arrives while its user is being erased is not stored', async () => {
  const userHash = newUser();
  await create(userHash, { name: 'Amelia' }).expect(201);
  const forgetting = await service.database.admin.connect();
  try {
    await forgetting.query('BEGIN');
    await forgetting.query(
      'UPDATE users SET user_hash = NULL, first_name = NULL, forgotten_at = now() WHERE user_hash = $1',
      [userHash],
    );
    const response = create(userHash, { name: 'Emmeline' }).then(({ status }) => status);
    await untilSomebodyWaits();
    await forgetting.query('COMMIT');
    expect(await response).toBe(201);
  } finally {
    forgetting.release();
  }
  expect(await query(`SELECT FROM users WHERE first_name = 'Emmeline'`)).toEqual([]);
});
