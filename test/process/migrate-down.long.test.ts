import { createCompletions } from '../support/completions';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { operate } from '../support/operations';
import { runMigrate } from '../support/operator-commands';
import { temporaryFolder } from '../support/program';
import { startService } from '../support/service';

/** Reverting migrations with the command on a database with completed contributions. */
let database: TestDatabase;
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(async () => {
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
}, 180_000);
afterAll(async () => {
  await database.drop();
  folder.remove();
});

const down = (...options: string[]) =>
  runMigrate(['down', ...options], {
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
    ALLOW_PLAIN_HTTP: 'on',
    DATA_DIRECTORY: folder.path,
  });

const rowsOf = async (sql: string) => (await database.admin.query<Record<string, unknown>>(sql)).rows;
const applied = () => rowsOf('SELECT name FROM knex_migrations ORDER BY id');
/** Tables that a migration must never drop by accident. */
const record = () =>
  rowsOf(`SELECT to_jsonb(t) - 'returned_cents' AS row FROM transactions t UNION ALL SELECT to_jsonb(e) FROM events e
          UNION ALL SELECT to_jsonb(a) FROM operator_actions a`);

test('undo lists every table that holds data with its row count, and changes nothing without permission', async () => {
  while ((await applied()).length > 1) await down('--yes');
  const before = await record();
  expect(before).toHaveLength(4);
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const { exitCode, output } = await down();
    expect(exitCode).toBe(5);
    expect(output).toMatch(/^Reverting 20261128000000_baseline drops data, which cannot be undone:\n/);
    expect(output).toMatch(/\nThere is no terminal to confirm on. Run the command with --yes.\n$/);
    expect(output.split('\n')).toEqual(
      expect.arrayContaining([
        '  operator_actions: 1 row',
        '  events: 2 rows',
        '  supports: 1 row',
        '  transactions: 1 row',
      ]),
    );
  }
  expect(await applied()).toEqual([{ name: '20261128000000_baseline' }]);
  expect(await record()).toEqual(before);
}, 180_000);

test('with --yes it is undone', async () => {
  expect(await down('--yes')).toEqual({
    exitCode: 0,
    output: expect.stringContaining('20261128000000_baseline is reverted.\n') as unknown,
  });
  expect(await applied()).toEqual([]);
  expect(await rowsOf(`SELECT to_regclass('transactions') AS transactions`)).toEqual([
    { transactions: null },
  ]);
}, 180_000);
