import { DatabaseFailure } from '../../src/db/errors';
import { inOperatorTransaction } from '../../src/db/operator-transaction';
import { createOperations } from '../../src/operator/commands/operations';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { operatorSettings, runOps } from '../support/operator-commands';
import { testPeppers } from '../support/service';

/** A lost connection during a command: the reported outcome must be true. */
let database: TestDatabase;
let proxy: PostgresProxy;
let count = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.operatorUrl);
});
afterAll(async () => {
  await proxy.stop();
  await database.drop();
});
afterEach(() => {
  proxy.restore();
});

/** Creates a company with its audit log entry, as the command does. */
async function create(name: string): Promise<unknown> {
  return inOperatorTransaction(proxy.url, 'write', async (queries) => {
    const { companies, actions } = createOperations(queries, testPeppers);
    await companies.create(name);
    const act = {
      claimedOperator: 'anna',
      command: 'companies create',
      target: name,
      arguments: {},
      result: {},
    };
    await actions.record(act);
  }).catch((error: unknown) => error);
}

async function whatIsThere(name: string): Promise<{ companies: number; records: number }> {
  const { rows } = await database.admin.query<{ companies: number; records: number }>(
    `SELECT (SELECT count(*)::integer FROM companies WHERE name = $1) AS companies,
            (SELECT count(*)::integer FROM operator_actions WHERE target = $1) AS records`,
    [name],
  );
  return rows[0]!;
}

test.each([
  ['before it reaches the server, changes nothing', 'request', 0],
  ['after the server has committed, leaves the change and its entry', 'reply', 1],
] as const)(
  'a commit that is cut off %s; its outcome is reported as unknown',
  async (_what, moment, there) => {
    const name = `Cut ${(count += 1)}`;
    proxy.cutAt(moment, 'COMMIT');
    const error = await create(name);
    expect(error).toBeInstanceOf(DatabaseFailure);
    expect(error).toMatchObject({ outcome: 'unknown' });
    expect(await whatIsThere(name)).toEqual({ companies: there, records: there });
  },
);

test('a statement that is cut off before the commit changes nothing, and the outcome says so', async () => {
  const name = `Cut ${(count += 1)}`;
  proxy.cutAt('reply', 'RELEASE SAVEPOINT before_statement');
  expect(await create(name)).toMatchObject({ outcome: 'nothing' });
  expect(await whatIsThere(name)).toEqual({ companies: 0, records: 0 });
});

test('a command without a response to its commit exits with 4 and advises to check before a retry', async () => {
  proxy.cutAt('reply', 'COMMIT');
  const settings = operatorSettings({ url: database.url, operatorUrl: proxy.url });
  const { exitCode, output } = await runOps(['companies', 'create', 'Perhaps'], settings);
  expect(exitCode).toBe(4);
  expect(output).toContain('The change may have been made');
  expect(await whatIsThere('Perhaps')).toEqual({ companies: 1, records: 1 });
});

test.each([
  ['a list', ['companies', 'list'], 'COMMIT'],
  ['a dry run', ['companies', 'create', 'Never', '--dry-run'], 'ROLLBACK'],
  ['a verification', ['verify'], 'SELECT environment_id FROM environments ORDER BY environment_id'],
])('%s that loses its connection exits with 1 and says that nothing changed', async (_what, words, query) => {
  proxy.cutAt('reply', query);
  const settings = operatorSettings({ url: database.url, operatorUrl: proxy.url });
  const { exitCode, output } = await runOps(words, settings);
  expect(output).toMatch(/The database is not available \(.*\)\. Nothing changed\./);
  expect(exitCode).toBe(1);
});
