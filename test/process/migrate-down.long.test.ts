import { DataLoss, type Loss } from '../../src/db/migrations/data-loss';
import { migrateDown } from '../../src/db/migrations/migrator';
import { createCompletions } from '../support/completions';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { operate } from '../support/operations';
import { build, run, temporaryFolder } from '../support/program';
import { startService } from '../support/service';

/** Reverting migrations with the command on a database with completed contributions. */
let database: TestDatabase;
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(async () => {
  await build();
  folder = temporaryFolder();
  database = await createTestDatabase();
  const service = await startService({ database });
  const company = await service.addCompany();
  const completions = await createCompletions(service, company);
  await completions.complete(company.test, await completions.create()).expect(200);
  await operate(database, ({ actions }) =>
    actions.record({
      claimedOperator: 'anna',
      command: 'keys revoke',
      target: null,
      arguments: {},
      result: {},
    }),
  );
  await service.stop();
  // Rows of the request log would stop the undo earlier. The feeds are empty, because no relay ran.
  await database.admin.query('DELETE FROM sandbox_requests');
}, 180_000);
afterAll(async () => {
  await database.drop();
  folder.remove();
});

const down = (...options: string[]) =>
  run(process.execPath, ['dist/src/operator/cli/migrate.js', 'down', ...options], {
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
    ALLOW_PLAIN_HTTP: 'on',
    DATA_DIRECTORY: folder.path,
  });

async function undoAll(): Promise<void> {
  const options = { connectionString: database.ownerUrl };
  while ((await migrateDown(options)) !== undefined);
}

const rowsOf = async (sql: string) => (await database.admin.query<Record<string, unknown>>(sql)).rows;
const applied = () => rowsOf('SELECT name FROM knex_migrations ORDER BY id');
/** Tables that a migration must never drop by accident. */
const record = () =>
  rowsOf(`SELECT to_jsonb(t) - 'returned_cents' AS row FROM transactions t UNION ALL SELECT to_jsonb(e) FROM events e
          UNION ALL SELECT to_jsonb(a) FROM operator_actions a`);

test('repeated undo stops before the audit log and changes nothing further', async () => {
  const before = await record();
  expect(before).toHaveLength(4);
  expect(await down()).toMatchObject({ exitCode: 0 });
  // The other migrations are undone in this process, because one command for each would be slow.
  await expect(undoAll()).rejects.toThrow(DataLoss);
  const names = await applied();
  const refused = {
    exitCode: 5,
    output: expect.stringMatching(
      /^Reverting 20261122006100_operator_action_chain drops data, .*\n( {2}operator_actions\.[\w"]+: 1 row\n){3}There is no terminal to confirm on. Run the command with --yes\.\n$/,
    ) as unknown,
  };
  expect(await down()).toEqual(refused);
  expect(await down()).toEqual(refused);
  expect(await applied()).toEqual(names);
  expect(await record()).toEqual(before);
}, 180_000);

test('with --yes it is undone', async () => {
  const undone = '20261122006100_operator_action_chain';
  expect(await down('--yes')).toEqual({
    exitCode: 0,
    output: expect.stringContaining(`${undone} is reverted.\n`) as unknown,
  });
  expect(await applied()).not.toContainEqual({ name: undone });
}, 180_000);

test('the error lists every table that holds data with its row count, down to the first migration', async () => {
  const options = { connectionString: database.ownerUrl };
  const refused: Loss[] = [];
  const undo = async (): Promise<string | undefined> =>
    migrateDown(options).catch((error: unknown) => {
      if (!(error instanceof DataLoss)) throw error;
      refused.push(...error.losses);
      return migrateDown(options, 'everything');
    });
  while ((await undo()) !== undefined);
  expect(await applied()).toEqual([]);
  expect(refused).toEqual(
    expect.arrayContaining([
      { name: 'operator_actions', rows: 1 },
      { name: 'events', rows: 2 },
      { name: 'supports', rows: 1 },
      { name: 'transactions', rows: 1 },
      { name: 'companies', rows: 1 },
    ]),
  );
  expect(await rowsOf(`SELECT to_regclass('transactions') AS transactions`)).toEqual([
    { transactions: null },
  ]);
}, 180_000);
