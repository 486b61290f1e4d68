import { createReadOnlyDatabase } from '../../../src/db/operator-database';
import { verificationChecks } from '../../../src/operator/verification/checks';
import type { VerificationReport } from '../../../src/operator/verification/verification-report';
import { addProject } from '../../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { operate } from '../../support/operations';
import { startService } from '../../support/service';
import { verificationOf } from '../../support/verification';
import { canary, createActivity, newContribution } from './activity';
import { corruptions } from './corruptions';
import { hiddenDoubles } from './corruptions/once.corruptions';
import type { Corruption, CorruptedWorld } from './corruptions/corruption';
import { allowed } from './corruptions/rights.corruptions';
import { longTest, sample, takesAllRows } from '../../support/full-run';

let database: TestDatabase;
let here: CorruptedWorld;
let elsewhere: CorruptedWorld;

const verify = ({ operatorUrl }: TestDatabase): Promise<VerificationReport> => verificationOf(operatorUrl);

const nameOf = ({ ownerUrl }: TestDatabase): string => new URL(ownerUrl).pathname.slice(1);

const broken = (report: VerificationReport): string[] =>
  report.checks.filter(({ violationCount }) => violationCount > 0).map(({ check }) => check);

/** Runs statements in a copy of the database, as a superuser without triggers and foreign keys. */
async function inCopyWith<T>(sql: string, use: (copy: TestDatabase) => Promise<T>): Promise<T> {
  const copy = await createTestDatabase(nameOf(database));
  try {
    await copy.admin.query(`SET session_replication_role = replica; ${sql}; RESET session_replication_role`);
    return await use(copy);
  } finally {
    await copy.drop();
  }
}

const verifyWith = (sql: string): Promise<VerificationReport> => inCopyWith(sql, verify);

/** A template database must have no connections. */
async function disconnect(): Promise<void> {
  const other = await createTestDatabase();
  await other.admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
    nameOf(database),
  ]);
  await other.drop();
}

/** The ids in the violations, without the random ones of events, endpoints, returns and files. */
function concerned(report: VerificationReport, corruption: Pick<Corruption, 'check' | 'problem'>): object[] {
  const { violations } = report.checks.find(({ check }) => check === corruption.check)!;
  return violations
    .filter(({ problem }) => problem.includes(corruption.problem))
    .map((violation) => ({
      ...violation,
      event_id: undefined,
      endpoint_id: undefined,
      return_id: undefined,
      file_id: undefined,
      problem: undefined,
    }));
}

beforeAll(async () => {
  database = await createTestDatabase();
  ({ here, elsewhere } = await createActivity(database));
}, 60_000);
afterAll(() => database.drop());

test('rows that the service wrote violate no rule, and every table was read', async () => {
  const report = await verify(database);
  expect(broken(report)).toEqual([]);
  // Two of each company, and that of the simulated bank.
  expect(report).toMatchObject({ environmentCount: 9, violationCount: 0, noteCount: 0, failures: [] });
  expect(report.checks.map(({ check }) => check)).toEqual(verificationChecks.map(({ name }) => name));
  expect(report.checks.filter(({ rowCount }) => rowCount === null || rowCount < 1)).toEqual([]);
});

longTest(
  'finds nothing while the service creates and completes',
  async () => {
    // In a copy, because the service counts contributions, and corruptions then change totals.
    await disconnect();
    const copy = await createTestDatabase(nameOf(database));
    const running = await startService({ database: copy });
    const company = await running.addCompany('Busy');
    const projectId = await addProject(copy.admin);
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
        expect(broken(await verify(copy))).toEqual([]);
        expect(state.completed).toBeGreaterThan(before);
      }
    } finally {
      state.isDone = true;
      await Promise.allSettled([writers]);
      await running.stop();
      await copy.drop();
    }
    await writers;
  },
  120_000,
);

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

describe('a corruption is found', () => {
  beforeAll(disconnect);

  test.each(sample(corruptions, 10))('$check: $problem', async (corruption) => {
    const report = await verifyWith(corruption.sql(here));
    expect(concerned(report, corruption)).toEqual(corruption.finds(here));
    expect(broken(report).sort()).toEqual([corruption.check, ...(corruption.also ?? [])].sort());
    expect(JSON.stringify(report)).not.toMatch(canary);
  });

  longTest('a removed end of the audit log is found only with a stored head', async () => {
    const head = await operate(database, ({ actions }) => actions.head(), 'read');
    const other = { ...head, hash: head.hash.replace(/./g, (digit) => (digit === '0' ? '1' : '0')) };
    const before = await verificationOf(database.operatorUrl, [head]);
    expect(broken(before)).toEqual([]);
    expect(before.checks.at(-1)).toMatchObject({ check: 'audit-head', violationCount: 0 });
    expect(broken(await verificationOf(database.operatorUrl, [head, other]))).toEqual(['audit-head']);

    await disconnect();
    const copy = await createTestDatabase(nameOf(database));
    try {
      await copy.admin.query(
        `SET session_replication_role = replica; DELETE FROM operator_actions WHERE position >= ${head.position - 1};
         RESET session_replication_role`,
      );
      expect(broken(await verify(copy))).toEqual([]);
      const report = await verificationOf(copy.operatorUrl, [head]);
      expect(report.checks.at(-1)).toMatchObject({
        check: 'audit-head',
        violations: [{ position: String(head.position), problem: expect.stringContaining('was removed') }],
      });
      // Adds entries at the positions of the removed ones.
      for (let count = 0; count < 3; count += 1) {
        const action = { claimedOperator: 'b', command: 'c', target: null, arguments: {}, result: {} };
        await operate(copy, ({ actions }) => actions.record(action));
      }
      const rewritten = await verificationOf(copy.operatorUrl, [head]);
      expect(broken(rewritten)).toEqual(['audit-head']);
      expect(rewritten.checks.at(-1)?.violations[0]?.problem).toContain('rewritten');
    } finally {
      await copy.drop();
    }
  });

  longTest.each(['transaction-within-rules', 'event-once', 'support-agrees'])(
    '%s in another environment: reported there, and not here',
    async (name) => {
      const corruption = corruptions.find(({ check }) => check === name)!;
      const report = await verifyWith(corruption.sql(elsewhere));
      expect(concerned(report, corruption)).toEqual(corruption.finds(elsewhere));
      expect(elsewhere.environmentId).not.toBe(here.environmentId);
    },
  );

  test('a run of several jobs reports the same, in the same order', async () => {
    const { sql } = corruptions.find(({ check }) => check === 'support-agrees')!;
    const { one, three } = await inCopyWith(`${sql(elsewhere)}; ${sql(here)}`, async (copy) => ({
      one: await verify(copy),
      three: await verificationOf(copy.operatorUrl, [], 3),
    }));
    expect(one.violationCount).toBeGreaterThan(1);
    expect(three).toEqual(one);
  });

  longTest.each(allowed)('$situation: nothing is found', async ({ sql }) => {
    expect(broken(await verifyWith(sql(here)))).toEqual([]);
  });

  longTest.each(hiddenDoubles)(
    'a unique index lacks the entry, $check: found in the table',
    async (corruption) => {
      const report = await verifyWith(corruption.sql(here));
      expect(concerned(report, corruption)).toEqual(corruption.finds(here));
    },
  );

  test('a time in the future is a note, not a violation', async () => {
    const report = await verifyWith(corruptions.find(({ check }) => check === 'time-not-ahead')!.sql(here));
    expect(report).toMatchObject({ noteCount: 1, violationCount: 0, failures: [] });
  });

  longTest('a table with a missing file stops only its own checks, and is reported', async () => {
    const corruption = corruptions.find(({ check }) => check === 'transaction-within-rules')!;
    const report = await verifyWith(
      `${corruption.sql(here)}; UPDATE pg_class SET relfilenode = 999999999 WHERE oid = 'supports'::regclass`,
    );
    expect(concerned(report, corruption)).toEqual(corruption.finds(here));
    expect([...new Set(report.failures.map(({ check }) => check))].sort()).toEqual([
      'environment-exists',
      'project-figures-agree',
      'support-agrees',
      'support-once',
    ]);
    expect(report.failures[0]?.message).toContain('could not open file');
  });

  test('a run writes no row', async () => {
    // Nothing else writes to this database.
    const copy = await createTestDatabase(nameOf(database));
    const admin = await copy.admin.connect();
    async function rowsWritten(): Promise<number> {
      const { rows } = await admin.query<{ written: string }>(
        'SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) AS written FROM pg_stat_user_tables',
      );
      return Number(rows[0]?.written);
    }
    async function writeOneRow(): Promise<void> {
      await admin.query('UPDATE companies SET name = name WHERE name = $1', ['Own']);
      // Otherwise, PostgreSQL counts a session's writes with a delay.
      await admin.query('SELECT pg_stat_force_next_flush()');
    }
    try {
      await writeOneRow();
      const before = await rowsWritten();
      await verify(copy);
      expect(await rowsWritten()).toBe(before);
      await writeOneRow();
      expect(await rowsWritten()).toBe(before + 1);
    } finally {
      admin.release();
      await copy.drop();
    }
  });
});
