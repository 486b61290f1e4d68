import { createTestDatabase, type TestDatabase } from '../support/database';
import { operatorSettings, runMigrate, runOps } from '../support/operator-commands';
import { bai2 } from '../../packages/bank-files/test/generate';

/** Commands use only the streams, the settings and the exit code that they get. */
let database: TestDatabase;
let settings: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  settings = operatorSettings(database);
});
afterAll(() => database.drop());

/** What commands could leave behind in this process. */
const stateOfProcess = () => ({
  environment: { ...process.env },
  exitCode: process.exitCode,
  listeners: [process, process.stdout, process.stderr].map((emitter) =>
    emitter.eventNames().map((name) => [name, emitter.listenerCount(name)]),
  ),
});

const connections = async (): Promise<number> => {
  const { rows } = await database.admin.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND usename LIKE 'contribution%'`,
  );
  return rows[0]!.count;
};

test('commands at the same time do not mix their output, settings and exit codes', async () => {
  const wrong = { ...settings, PORT: 'many' };
  const [created, rejected, unknown, help, refused] = await Promise.all([
    runOps(['companies', 'create', 'Acme', '--json'], settings),
    runOps(['companies', 'list'], wrong),
    runOps(['keys', 'invent'], settings),
    runOps(['keys', '--help']),
    runMigrate(['down', '--attempts', 'x'], settings),
  ]);
  expect(JSON.parse(created.output)).toMatchObject({ name: 'Acme' });
  expect(rejected.output).toMatch(/^The configuration is invalid:\n {2}PORT: .*\n$/);
  expect(unknown.output).toMatch(/^error: unknown command 'invent'/);
  expect(help.output).toMatch(/^Usage: contribution-service keys /);
  expect(refused.output).toMatch(/^error: option '--attempts <number>'/);
  expect([created, rejected, unknown, help, refused].map(({ exitCode }) => exitCode)).toEqual([
    0, 2, 2, 0, 1,
  ]);
});

test('a command leaves no state, listener or connection in the process', async () => {
  const before = stateOfProcess();
  for (const words of [['companies', 'list'], ['contributions', 'show', 'nothing'], ['verify'], ['--help']])
    await runOps(words, settings);
  await runMigrate(['status'], { ...settings, DATABASE_OWNER_URL: database.ownerUrl });
  expect(stateOfProcess()).toEqual(before);
  expect(await connections()).toBe(0);
});

test('a hyphen as a file name means standard input', async () => {
  const { exitCode, output } = await runOps(['statements', 'check', '-'], {}, bai2([]));
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/^format +bai2$/m)]);
});
