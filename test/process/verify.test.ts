import type { VerificationReport } from '../../src/modules/verification/verification-report';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { addProject } from '../support/catalogue';
import { build, run } from '../support/program';
import { startService } from '../support/service';

/** `npm run verify`, as an operator runs it. */
const verify = (database: TestDatabase, ...options: string[]) =>
  run('npm', ['run', '--silent', 'verify', '--', ...options], {
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
  });

let database: TestDatabase;
let transactionId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const service = await startService({ database });
  const company = await service.addCompany();
  const { body } = await company.test
    .put('/company/integration/contributions/create', {
      project_id: await addProject(database.admin),
      amount: '1.00',
      user_hash: 'user',
    })
    .expect(201);
  transactionId = body.transaction_id as string;
  await service.stop();
}, 60_000);
afterAll(() => database.drop());

test('nothing is wrong: it says so and ends with 0; something is: it names the row and ends with 3', async () => {
  const before = await verify(database);
  expect(before).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(/checks of 2 environments: nothing is wrong\n$/),
  });

  await database.admin.query(
    'SET session_replication_role = replica; DELETE FROM events; RESET session_replication_role',
  );
  const after = await verify(database);
  expect(after.exitCode).toBe(3);
  expect(after.output).toContain(`transaction_id ${transactionId}  it has no contribution.created event`);

  const asJson = await verify(database, '--json');
  expect(asJson.exitCode).toBe(3);
  const report = JSON.parse(asJson.output) as VerificationReport;
  expect(report.violationCount).toBe(1);
  expect(report.checks.find(({ check }) => check === 'creation-recorded')?.violations).toEqual([
    {
      environment_id: expect.any(Number),
      transaction_id: transactionId,
      problem: 'it has no contribution.created event',
    },
  ]);
}, 60_000);

test('a table that cannot be read and nothing else: it says so and ends with 1, from the build too', async () => {
  await build();
  const damaged = await createTestDatabase();
  await damaged.admin.query(`UPDATE pg_class SET relfilenode = 999999999 WHERE oid = 'supports'::regclass`);
  const settings = { DATABASE_URL: damaged.url, DATABASE_OWNER_URL: damaged.ownerUrl };
  const { exitCode, output } = await run(process.execPath, ['dist/src/cli/main.js', 'verify'], settings);
  expect(exitCode).toBe(1);
  expect(output).toContain('support-once: could not be looked at, could not open file');
  expect(output).toMatch(/nothing is wrong, \d+ statements failed, so this is not all\n$/);
  await damaged.drop();
}, 120_000);

test('not configured: it ends with 2 and looks at nothing', async () => {
  const { exitCode, output } = await run('npm', ['run', '--silent', 'verify'], { NODE_ENV: 'production' });
  expect(exitCode).toBe(2);
  expect(output).toContain('DATABASE_URL');
}, 60_000);

test('a database that is not there: it says so and ends with 1', async () => {
  const gone = { ...database, ownerUrl: database.ownerUrl.replace(/\/[^/]*$/, '/nothing') };
  const { exitCode, output } = await verify(gone);
  expect(exitCode).toBe(1);
  expect(output).toContain('does not exist');
}, 60_000);
