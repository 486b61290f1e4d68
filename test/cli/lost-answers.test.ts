import { DatabaseFailure } from '../../src/db/errors';
import { inOperatorTransaction } from '../../src/db/operator-transaction';
import { createOperations } from '../../src/operator/cli/operations';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { build, run } from '../support/program';
import { testPeppers } from '../support/service';

/** The connection breaks under an operator's command: what it says must be what is so. */
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

/** Creates a company with its record, as the command does. */
async function create(name: string): Promise<unknown> {
  return inOperatorTransaction(proxy.url, 'write', async (statements) => {
    const { companies, actions } = createOperations(statements, testPeppers);
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
  ['before the server has seen it: nothing is there', 'request', 0],
  ['after the server has done it: the change is there with its record', 'reply', 1],
] as const)('a commit that is cut off %s, and it is said to be unknown', async (_what, moment, there) => {
  const name = `Cut ${(count += 1)}`;
  proxy.cutAt(moment, 'COMMIT');
  const error = await create(name);
  expect(error).toBeInstanceOf(DatabaseFailure);
  expect(error).toMatchObject({ outcome: 'unknown' });
  expect(await whatIsThere(name)).toEqual({ companies: there, records: there });
});

test('a statement that is cut off before the commit has done nothing, and is said so', async () => {
  const name = `Cut ${(count += 1)}`;
  proxy.cutAt('reply', 'RELEASE SAVEPOINT before_statement');
  expect(await create(name)).toMatchObject({ outcome: 'nothing' });
  expect(await whatIsThere(name)).toEqual({ companies: 0, records: 0 });
});

test('a command whose commit was not answered ends with 4 and says to look before it is repeated', async () => {
  await build();
  proxy.cutAt('reply', 'COMMIT');
  const settings = { DATABASE_URL: database.url, DATABASE_OPERATOR_URL: proxy.url };
  const { exitCode, output } = await run(
    process.execPath,
    ['dist/src/operator/cli/main.js', 'companies', 'create', 'Perhaps'],
    settings,
  );
  expect(exitCode).toBe(4);
  expect(output).toContain('The change may have been made');
  expect(await whatIsThere('Perhaps')).toEqual({ companies: 1, records: 1 });
}, 120_000);
