import { Client, escapeLiteral } from 'pg';
import { v7 as uuidv7 } from 'uuid';

import { sessionConfig } from '../../../src/db/session-settings';
import { generate } from '../../../bench/data/generate';
import type { Database } from '../../../src/db/pool/database';
import type { Query } from '../../../src/db/query';
import { createKeyPairsStore } from '../../../src/core/key-pairs/key-pairs.store';
import { createProjectsStoriesReadModel } from '../../../src/core/projects-stories/projects-stories.read-model';
import { createProjectsStore } from '../../../src/core/projects/projects.store';
import { createStoriesStore } from '../../../src/core/stories/stories.store';
import {
  createContributionsListStore,
  type ContributionFilter,
} from '../../../src/core/contributions/contributions-list.store';
import { openDisputesReading } from '../../../src/features/disputes/open-disputes.store';
import { createContributionsStore } from '../../../src/core/contributions/contributions.store';
import { createTotalsStore } from '../../../src/features/totals/totals.store';
import { createReturnsStore } from '../../../src/features/returns/returns.store';
import { systemClock } from '../../../src/shared/clock';
import type { Principal } from '../../../src/shared/scopes';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { type AnalyzedPlan, planRows, reportTime } from '../../support/plan-rows';
import { collectNestedPlans, type NestedPlan, type PlanNode, reportPlans } from '../../support/nested-plans';
import { scopes } from '../../support/scopes';

/**
 * The query plans of the request queries on data that is too large for sequential scans: 1,000
 * companies and projects, 10,000 stories and users, 50,000 supports and 100,000 transactions.
 * Nothing is timed: a sequential scan is cheap here, but not on a thousand times as many rows.
 *
 * `PLAN_ROWS=10000000` uses another number of transactions, and prints the time of each query.
 */
const scale = planRows(100_000) / 10_000_000;
const millisecondsToFill = 300_000 + planRows(0);

/** The queries of the request path, in order. */
interface Ran {
  name: string;
  text: string;
  values: readonly unknown[];
}

let database: TestDatabase;
let connection: Client;
let nestedPlans: () => NestedPlan[];
let principal: Principal;
let userHash: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await generate({
    ownerUrl: database.ownerUrl,
    scale,
    seed: 1,
    connections: 2,
    onProgress: () => undefined,
  });
  const { rows } = await database.admin.query<{ user_hash: string; api_key: string; tag: string }>(
    `SELECT u.user_hash, e.api_key, e.tag FROM bench.environments e JOIN users u USING (environment_id)
      WHERE e.environment_id = 1 AND u.user_id = 100`,
  );
  userHash = rows[0]!.user_hash;
  principal = {
    apiKey: rows[0]!.api_key,
    environmentId: 1,
    environmentKind: 'production',
    transactionTag: rows[0]!.tag,
    faultyOperations: [],
    isFrozen: false,
    scopes,
    rateLimits: { requestsPerSecond: null, completionsPerSecond: null },
  };
  // A year of 100 companies with three projects each.
  await database.admin.query(`
    INSERT INTO contribution_totals (environment_id, basis, day, project_id, completed_by_environment_id, created_since,
           completed_since, contributions, amount_cents, returned_cents)
    SELECT environment, basis, date '2026-01-01' + day, project, 0, '-infinity', '-infinity', 1, 100, 0
      FROM generate_series(1, 100) AS environment, unnest(ARRAY['created', 'completed']) AS basis,
           generate_series(0, 364) AS day, generate_series(1, 3) AS project`);
  await database.admin.query('ANALYZE contribution_totals');
  await reportPlans(database);
  connection = new Client(sessionConfig({ connectionString: database.url }));
  nestedPlans = collectNestedPlans(connection);
  await connection.connect();
}, millisecondsToFill);
afterAll(async () => {
  await connection.end();
  await database.drop();
}, millisecondsToFill);

/** Runs everything for real and records the queries. */
function recordingDatabase(ran: Ran[]): Database {
  const run = async (name: string, text: string, values: readonly unknown[]) => {
    ran.push({ name, text, values });
    return (await connection.query(text, [...values])).rows as never[];
  };
  return {
    run: ({ name, text }: Query, values) => run(name, text, values),
    runUnprepared: (text, values) => run('unprepared', text, values),
    runReadOnly: (text, values) => run('read only', text, values),
    close: () => Promise.resolve(),
  };
}

function scannedTables(plan: PlanNode): string[] {
  const table = plan['Relation Name'] ?? 'unknown';
  // System tables are small, and pg_stat_activity is not a table.
  const own = plan['Node Type'] === 'Seq Scan' && !table.startsWith('pg_') ? [table] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scannedTables)];
}

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Date) return escapeLiteral(value.toISOString());
  if (typeof value === 'string') return escapeLiteral(value);
  if (Array.isArray(value)) return escapeLiteral(`{${value.join(',')}}`);
  return escapeLiteral(typeof value === 'bigint' ? value.toString() : JSON.stringify(value));
};

/** @returns the tables that the plan of a query scans sequentially */
async function scansOf({ text, values }: Ran, mode: string): Promise<string[]> {
  await connection.query(`DEALLOCATE ALL; SET plan_cache_mode = ${mode}`);
  await connection.query(`PREPARE watched AS ${text}`);
  const { rows } = await connection.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE watched${values.length === 0 ? '' : ` (${values.map(literal).join(', ')})`}`,
  );
  return scannedTables(rows[0]!['QUERY PLAN'][0]!.Plan);
}

const nothingSaid = { amountCents: undefined, bankReference: undefined, valueDate: undefined };
const firstPage = { limit: 20, after: undefined };

async function create(db: Database, idempotencyKey: string, kind: 'created' | 'replayed'): Promise<string> {
  const contribution = { projectId: 3, amountCents: 1000n, userHash, name: undefined, idempotencyKey };
  const outcome = await createContributionsStore(db, systemClock).create(principal, contribution);
  if (outcome.kind !== kind) throw new Error(outcome.kind);
  return outcome.transactionId;
}

const newTransaction = (db: Database): Promise<string> => create(db, uuidv7(), 'created');

type Operations = [string, (db: Database) => Promise<unknown>][];

/** Each reading operation with its request. */
const reads: Operations = [
  ['a lookup of a key pair', (db) => createKeyPairsStore(db).findLive(principal.apiKey, true)],
  ['the main component of a user', (db) => createProjectsStoriesReadModel(db).read(1, userHash)],
  ['the main component of a stranger', (db) => createProjectsStoriesReadModel(db).read(1, undefined)],
  ['a list of projects', (db) => createProjectsStore(db).list(1, undefined, firstPage)],
  ['a list of projects for a user', (db) => createProjectsStore(db).list(1, userHash, firstPage)],
  [
    'one project for a user',
    (db) => createProjectsStore(db).find(1, userHash, '3', { highlights: true, description: true }),
  ],
  ['the stories of a project for a user', (db) => createStoriesStore(db).list(1, userHash, '1', firstPage)],
  [
    'one contribution',
    async (db) => {
      const { rows } = await database.admin.query<{ transaction_id: string }>(
        'SELECT transaction_id FROM transactions WHERE environment_id = 1 LIMIT 1',
      );
      const id = { transactionId: rows[0]!.transaction_id, tag: principal.transactionTag };
      return createContributionsStore(db, systemClock).find(principal, id);
    },
  ],
  [
    'the totals of a month',
    (db) =>
      createTotalsStore(db).read(1, { from: '2026-03-01', to: '2026-04-01', by: 'day', basis: 'created' }),
  ],
  [
    'the contributions of a user',
    (db) =>
      createContributionsListStore(db).list(
        principal,
        { userHash },
        { order: 'created', limit: 20, after: undefined, requestId: 'of-the-test' },
      ),
  ],
];

const writes: Operations = [
  ['a view of a story', (db) => createStoriesStore(db).recordView(1, userHash, '7')],
  ['a creation', newTransaction],
  [
    'a repeated creation',
    async (db) => {
      const idempotencyKey = uuidv7();
      await create(db, idempotencyKey, 'created');
      await create(db, idempotencyKey, 'replayed');
    },
  ],
  [
    'a completion',
    async (db) => {
      const transactionId = await newTransaction(db);
      const id = { transactionId, tag: principal.transactionTag };
      return createContributionsStore(db, systemClock).complete(principal, id, nothingSaid);
    },
  ],
  [
    'a return and its undoing',
    async (db) => {
      const id = { transactionId: await newTransaction(db), tag: principal.transactionTag };
      await createContributionsStore(db, systemClock).complete(principal, id, nothingSaid);
      const said = { code: 'R01', amountCents: 1000n, bankReference: 'RT-1', valueDate: undefined };
      const record = (kind: 'return' | 'paid_again', undoes?: string) =>
        createReturnsStore(db).record(principal, id, { ...said, kind, undoes });
      const returned = await record('return');
      if (returned.kind !== 'recorded') throw new Error(returned.kind);
      const undone = await record('paid_again', returned.moneyReturn.returnId);
      if (undone.kind !== 'recorded') throw new Error(undone.kind);
    },
  ],
];

/** The maximum number of rows that a step of the plan may process. */
function mostRowsOf(plan: AnalyzedPlan): number {
  const rows = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  return Math.max(rows, ...(plan.Plans ?? []).map(mostRowsOf));
}

/** A page has 20 rows, and the main component of this user has fewer. */
const mostRows = 200;

/**
 * Runs the query.
 *
 * @returns the largest number of rows that one of its steps processes
 */
async function rowsLookedAt({ name, text, values }: Ran): Promise<number> {
  const { rows } = await connection.query<{
    'QUERY PLAN': { Plan: AnalyzedPlan; 'Execution Time': number }[];
  }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
  const [explained] = rows[0]!['QUERY PLAN'];
  reportTime(name, explained!['Execution Time'], explained!.Plan);
  return mostRowsOf(explained!.Plan);
}

// In the first quarter of the year, no contribution is pending, and few belong to the last project.
const pages: [string, () => ContributionFilter, 'created' | 'completed'][] = [
  ['all since some day', () => ({ createdFrom: '2026-02-01T00:00:00Z' }), 'created'],
  ['those completed since some day', () => ({ completedFrom: '2026-02-01T00:00:00Z' }), 'completed'],
  ['those that are pending', () => ({ status: 'pending' }), 'created'],
  ['those of a project', () => ({ projectId: '990' }), 'created'],
  ['those of a user', () => ({ userHash }), 'created'],
];

test.each(pages)(
  'a page of the list, %s, reads about as many rows as it shows',
  async (_what, filterOf, order) => {
    const ran: Ran[] = [];
    const page = await createContributionsListStore(recordingDatabase(ran)).list(principal, filterOf(), {
      order,
      limit: 20,
      after: undefined,
      requestId: 'of-the-test',
    });
    expect(page.contributions.length).toBeGreaterThan(0);
    expect(await rowsLookedAt(ran.at(-1)!)).toBeLessThan(mostRows);
  },
);

test.each(reads)('no statement of %s processes many rows', async (_what, operate) => {
  const ran: Ran[] = [];
  await operate(recordingDatabase(ran));
  for (const one of ran) expect(await rowsLookedAt(one)).toBeLessThan(mostRows);
});

test('the totals of a year by project process one row for each day and project', async () => {
  const ran: Ran[] = [];
  const year = { from: '2026-01-01', to: '2027-01-01', by: 'project', basis: 'completed' } as const;
  await createTotalsStore(recordingDatabase(ran)).read(1, year);
  for (const one of ran) expect(await rowsLookedAt(one)).toBeLessThanOrEqual(365 * 3);
});

test('a plan with a sequential scan or many rows is detected', async () => {
  const scan = { name: 'a scan', text: 'SELECT count(amount_cents) FROM transactions', values: [] };
  expect(await scansOf(scan, 'auto')).toEqual(['transactions']);
  expect(await rowsLookedAt(scan)).toBeGreaterThan(mostRows);
});

describe.each(['force_custom_plan', 'force_generic_plan'])('with %s', (mode) => {
  test.each([...reads, ...writes])('no statement of %s uses a sequential scan', async (_what, operate) => {
    // The queries inside functions are planned when they run.
    await connection.query(`DISCARD PLANS; SET plan_cache_mode = ${mode}`);
    const ran: Ran[] = [];
    nestedPlans();
    await operate(recordingDatabase(ran));
    expect(ran.length).toBeGreaterThan(0);
    const callsFunctions = ran.some(({ text }) => /(_contribution|record_return)\(/.test(text));
    const nested = nestedPlans();
    expect(nested.length > 3).toBe(callsFunctions);
    for (const { text, plan } of nested) expect({ [text]: scannedTables(plan) }).toEqual({ [text]: [] });
    for (const one of ran) expect({ [one.name]: await scansOf(one, mode) }).toEqual({ [one.name]: [] });
  });

  // Few contributions are disputed, whatever the size of the other tables.
  test('the count of open disputes scans neither events nor contributions', async () => {
    await connection.query(`DISCARD PLANS; SET plan_cache_mode = ${mode}`);
    nestedPlans();
    await openDisputesReading(recordingDatabase([])).read();
    const scanned = nestedPlans().flatMap(({ plan }) => scannedTables(plan));
    expect(scanned).toContain('operator_actions');
    expect(scanned.filter((table) => ['events', 'transactions'].includes(table))).toEqual([]);
  });
});
