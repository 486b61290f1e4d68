import { createReadOnlyDatabase } from '../../../src/db/operator-database';
import { verificationChecks } from '../../../src/operator/verification/checks';
import type { VerificationReport } from '../../../src/operator/verification/verification-report';
import { addProject } from '../../support/catalogue';
import { citusNodeUrls, onDatabase } from '../../support/citus/databases';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { longTest, takesAllRows } from '../../support/full-run';
import { startService } from '../../support/service';
import { until } from '../../support/until';
import { verificationOf } from '../../support/verification';
import { createActivity, newContribution } from './activity';
import { brokenChecks } from './broken-checks';
import { corruptions } from './corruptions';

let database: TestDatabase;

const verify = (): Promise<VerificationReport> => verificationOf(database.operatorUrl);

beforeAll(async () => {
  database = await createTestDatabase();
  await createActivity(database);
});
afterAll(() => database.drop());

test('rows that the service wrote violate no rule, and every table was read', async () => {
  const report = await verify();
  expect(brokenChecks(report)).toEqual([]);
  // Two of each company, and that of the simulated bank.
  expect(report).toMatchObject({ environmentCount: 9, violationCount: 0, noteCount: 0, failures: [] });
  expect(report.checks.map(({ check }) => check)).toEqual(verificationChecks.map(({ name }) => name));
  expect(report.checks.filter(({ rowCount }) => rowCount === null || rowCount < 1)).toEqual([]);
});

test('its connection cannot write in any way', async () => {
  // Session settings in the URL replace those of the program.
  const url = new URL(database.ownerUrl);
  url.searchParams.set('options', '-c default_transaction_read_only=off');
  const refusal = { cause: { code: '25006' } };
  for (const [ownerUrl, refuses] of [
    [database.ownerUrl, ['runUnprepared', 'runReadOnly']],
    [url.href, ['runReadOnly']],
  ] as const) {
    const readOnly = createReadOnlyDatabase(ownerUrl);
    for (const method of refuses)
      await expect(readOnly[method]('DELETE FROM supports', [])).rejects.toMatchObject(refusal);
    await readOnly.close();
  }
});

test('every problem of every check has a corruption', () => {
  const problems = verificationChecks.flatMap(({ name, text }) => {
    const found = [...text.matchAll(/THEN '([^']+)'/g)].map(([, problem]) => `${name}: ${problem ?? ''}`);
    return found.length === 0 ? [`${name}: `] : found;
  });
  expect(problems.length).toBeGreaterThan(verificationChecks.length);
  const covered = corruptions.map(({ check, problem }) => `${check}: ${problem}`);
  expect(problems.filter((problem) => !covered.some((corruption) => corruption.startsWith(problem)))).toEqual(
    [],
  );
  const known = new Set(verificationChecks.map(({ name }) => name));
  expect(
    corruptions.filter(({ check, also }) => ![check, ...(also ?? [])].every((name) => known.has(name))),
  ).toEqual([]);
});

test('a run writes no row on any server', async () => {
  const nodeCount = citusNodeUrls()?.length;
  const written = 'SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) AS written FROM pg_stat_user_tables';
  const writtenOnNodes = `SELECT sum(result::bigint) AS written FROM run_command_on_all_nodes('${written}')`;
  async function rowsWritten(): Promise<number> {
    const text = nodeCount === undefined ? written : writtenOnNodes;
    const { rows } = await database.admin.query<{ written: string }>(text);
    return Number(rows[0]?.written);
  }
  /** Every node has a copy of the row. Each session reports its writes when it ends. */
  async function writeOneRow(): Promise<void> {
    const expected = (await rowsWritten()) + (nodeCount ?? 1);
    await onDatabase(database.adminUrl, (client) =>
      client.query('UPDATE companies SET name = name WHERE name = $1', ['Own']),
    );
    await until('its write is reported', async () => (await rowsWritten()) >= expected);
  }
  // Nothing else writes to this database. Idle sessions report their earlier writes when they end.
  await onDatabase(database.adminUrl, (client) =>
    client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    ),
  );
  // A pool may hand out an idle session before it knows that it was ended.
  const isConnected = () =>
    database.admin.query('SELECT').then(
      () => true,
      () => false,
    );
  await until('the pool has new sessions', isConnected);
  await writeOneRow();
  const before = await rowsWritten();
  await verify();
  await writeOneRow();
  expect(await rowsWritten()).toBe(before + (nodeCount ?? 1));
});

longTest(
  'finds nothing while the service creates and completes',
  async () => {
    const running = await startService({ database });
    const company = await running.addCompany('Busy');
    const projectId = await addProject(database.admin);
    const state = { isDone: false, completed: 0 };
    const writer = async (number: number): Promise<void> => {
      for (let count = 0; !state.isDone; count += 1) {
        const body = { project_id: projectId, amount: '1.00', user_hash: `user-${(number + count) % 7}` };
        const response = await company.test.put(newContribution, body).expect(201);
        const path = `/company/integration/contributions/${response.body.transaction_id as string}`;
        await company.test.put(path, { status: 'completed' }).expect(200);
        state.completed += 1;
      }
    };
    const runs = takesAllRows ? 8 : 3;
    const writers = Promise.all(Array.from({ length: 6 }, (_, number) => writer(number)));
    try {
      for (let run = 0; run < runs; run += 1) {
        const before = state.completed;
        expect(brokenChecks(await verify())).toEqual([]);
        expect(state.completed).toBeGreaterThan(before);
      }
    } finally {
      state.isDone = true;
      await Promise.allSettled([writers]);
      await running.stop();
    }
    await writers;
    expect(brokenChecks(await verify())).toEqual([]);
  },
  240_000,
);
