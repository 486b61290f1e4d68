import { addProject } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startService, type TestCompany, type TestService } from '../support/service';

/** A statement that PostgreSQL rolls back because it conflicts with another. */
let database: TestDatabase;
let service: TestService;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startService({ database });
  company = await service.addCompany();
  projectId = await addProject(database.admin);
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

/** Lets the next inserts of contributions fail. No rollback undoes the count of the sequence. */
async function failNext(inserts: number, sqlState: string): Promise<void> {
  await database.admin.query(`
    DROP SEQUENCE IF EXISTS conflicts;
    CREATE SEQUENCE conflicts;
    GRANT USAGE ON SEQUENCE conflicts TO PUBLIC;
    CREATE OR REPLACE FUNCTION fail_next() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('public.conflicts') <= ${inserts} THEN RAISE EXCEPTION 'conflict' USING ERRCODE = '${sqlState}'; END IF;
      RETURN NEW;
    END $$;
    CREATE OR REPLACE TRIGGER fail_next BEFORE INSERT ON transactions FOR EACH ROW EXECUTE FUNCTION fail_next()`);
}

const create = (userHash: string) =>
  company.test.put('/company/integration/contributions/create', {
    project_id: projectId,
    amount: '25.00',
    user_hash: userHash,
  });

async function stored(
  userHash: string,
): Promise<{ contributions: number; events: number; attempts: number }> {
  const { rows } = await database.admin.query<{ contributions: number; events: number; attempts: number }>(
    `SELECT count(*)::int AS contributions, (SELECT last_value::int FROM conflicts) AS attempts,
            (SELECT count(*)::int FROM events e WHERE e.transaction_id = ANY (array_agg(t.transaction_id))) AS events
       FROM transactions t JOIN users u USING (user_id) WHERE u.user_hash = $1`,
    [userHash],
  );
  return rows[0]!;
}

test.each([
  ['a serialization failure', '40001'],
  ['a deadlock', '40P01'],
])('after %s, a create runs again and records one contribution', async (_what, sqlState) => {
  await failNext(2, sqlState);
  expect((await create(sqlState)).status).toBe(201);
  expect(await stored(sqlState)).toEqual({ contributions: 1, events: 1, attempts: 3 });
});

test('a create that conflicts three times gets a retryable 503, and nothing was recorded', async () => {
  await failNext(3, '40001');
  const { status, body } = await create('three-times');
  expect([status, body]).toEqual([
    503,
    expect.objectContaining({
      code: 'database_timeout',
      title: 'The database did not finish',
      retryable: true,
    }),
  ]);
  expect(await stored('three-times')).toEqual({ contributions: 0, events: 0, attempts: 3 });
  expect(service.logLines.join()).toContain('database conflict, outcome nothing');
});
