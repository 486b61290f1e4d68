import type { VerificationReport } from '../../../src/operator/verification/verification-report';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { longTest, sample } from '../../support/full-run';
import { operate } from '../../support/operations';
import { verificationOf } from '../../support/verification';
import { canary, createActivity } from './activity';
import { corruptions } from './corruptions';
import type { CorruptedWorld, Corruption } from './corruptions/corruption';
import { hiddenDoubles } from './corruptions/once.corruptions';
import { allowed } from './corruptions/rights.corruptions';
import { brokenChecks } from './broken-checks';

let database: TestDatabase;
let here: CorruptedWorld;
let elsewhere: CorruptedWorld;

const verify = ({ operatorUrl }: TestDatabase): Promise<VerificationReport> => verificationOf(operatorUrl);

const nameOf = ({ ownerUrl }: TestDatabase): string => new URL(ownerUrl).pathname.slice(1);

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
  await disconnect();
});
afterAll(() => database.drop());

test.each(sample(corruptions, 10))('a corruption is found, $check: $problem', async (corruption) => {
  const report = await verifyWith(corruption.sql(here));
  expect(concerned(report, corruption)).toEqual(corruption.finds(here));
  expect(brokenChecks(report).sort()).toEqual([corruption.check, ...(corruption.also ?? [])].sort());
  expect(JSON.stringify(report)).not.toMatch(canary);
});

longTest('a removed end of the audit log is found only with a stored head', async () => {
  const head = await operate(database, ({ actions }) => actions.head(), 'read');
  const other = { ...head, hash: head.hash.replace(/./g, (digit) => (digit === '0' ? '1' : '0')) };
  const before = await verificationOf(database.operatorUrl, [head]);
  expect(brokenChecks(before)).toEqual([]);
  expect(before.checks.at(-1)).toMatchObject({ check: 'audit-head', violationCount: 0 });
  expect(brokenChecks(await verificationOf(database.operatorUrl, [head, other]))).toEqual(['audit-head']);

  await disconnect();
  const copy = await createTestDatabase(nameOf(database));
  try {
    await copy.admin.query(
      `SET session_replication_role = replica; DELETE FROM operator_actions WHERE position >= ${head.position - 1};
       RESET session_replication_role`,
    );
    expect(brokenChecks(await verify(copy))).toEqual([]);
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
    expect(brokenChecks(rewritten)).toEqual(['audit-head']);
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

longTest('a run of several jobs reports the same, in the same order', async () => {
  const { sql } = corruptions.find(({ check }) => check === 'support-agrees')!;
  const { one, three } = await inCopyWith(`${sql(elsewhere)}; ${sql(here)}`, async (copy) => ({
    one: await verify(copy),
    three: await verificationOf(copy.operatorUrl, [], 3),
  }));
  expect(one.violationCount).toBeGreaterThan(1);
  expect(three).toEqual(one);
});

longTest.each(allowed)('$situation: nothing is found', async ({ sql }) => {
  expect(brokenChecks(await verifyWith(sql(here)))).toEqual([]);
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
