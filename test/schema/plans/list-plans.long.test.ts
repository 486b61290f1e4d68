import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import type { Database } from '../../../src/db/pool/database';
import { listQuery, type ContributionFilter } from '../../../src/core/contributions/contributions-list.query';
import {
  createContributionsListStore,
  type ListPlace,
} from '../../../src/core/contributions/contributions-list.store';
import type { Principal } from '../../../src/shared/scopes';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { type AnalyzedPlan, planRows, reportTime, rowsOfStep, sumOfSteps } from '../../support/plan-rows';
import { scopes } from '../../support/scopes';

/**
 * The number of rows that a page of the list of contributions reads, for every combination of
 * filters, as a company and as a bank. One company has most of the rows. One project has most of
 * its later rows and one user a tenth. In one period nothing was completed.
 *
 * `PLAN_ROWS=1000000` gives that company more rows, and prints the time and the plan of each page.
 */
const big = 1;
const bank = 9;
const environments = [big, 3, 5, 7, bank];
const rowsOfBig = planRows(120_000);
const rowsOfOthers = 10_000;

let database: TestDatabase;
let connection: Client;

const day = (number: number): string => new Date(Date.UTC(2026, 0, 1 + number)).toISOString();
const companyId = (environment: number): string =>
  `00000000-0000-7000-8000-${String(environment).padStart(12, '0')}`;
const heavyUser = 'heavy';

/** All rows of an environment, spread over 100 days. */
const addRows = (environment: number, rows: number): string => `
  INSERT INTO users (environment_id, user_id, user_hash) OVERRIDING SYSTEM VALUE
  SELECT ${environment}, n + ${environment * 10_000}, CASE WHEN n = 0 THEN '${heavyUser}' ELSE 'user-' || n END
    FROM generate_series(0, 2000) AS n;
  INSERT INTO transactions (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status, idempotency_key,
         created_by_api_key, created_at, completed_at, completed_by_environment_id, completed_by_api_key, bank_reference, value_date)
  SELECT ${environment}, 'AAA' || ${environment} || lpad(n::text, 11, '0'),
         ${environment * 10_000} + CASE WHEN n % 10 = 0 THEN 0 ELSE 1 + n % 2000 END,
         CASE WHEN n > ${rows * 0.4} AND n % 10 < 8 THEN 1 WHEN n % 5000 = 0 THEN 3 ELSE 2 END,
         100, 'USD', CASE WHEN late.at IS NULL THEN 'pending' ELSE 'completed' END,
         CASE WHEN n % 100 = 1 THEN 'key-' || n END, 'cpk', created.at, late.at,
         CASE WHEN late.at IS NOT NULL THEN ${environment} END, CASE WHEN late.at IS NOT NULL THEN 'cpk' END,
         CASE WHEN late.at IS NOT NULL THEN CASE WHEN n % 10 < 3 THEN 'heavy' ELSE 'FT-' || n / 5 END END,
         CASE WHEN late.at IS NOT NULL THEN late.at::date END
    FROM generate_series(1, ${rows}) AS n
   CROSS JOIN LATERAL (SELECT timestamptz '${day(0)}' + n * interval '100 days' / ${rows} AS at) AS created
   CROSS JOIN LATERAL (
      SELECT CASE WHEN n BETWEEN ${rows * 0.6} AND ${rows * 0.65} OR n % 3000 = 7 THEN NULL
                  WHEN n % 1000 = 3 THEN created.at + interval '20 days' ELSE created.at + interval '1 minute' END AS at
   ) AS late`;

beforeAll(
  async () => {
    database = await createTestDatabase();
    // As a superuser without foreign keys, because only reads are measured.
    await database.admin.query(`
    SET session_replication_role = replica;
    INSERT INTO projects (project_id, project_name, project_image_url, rank) OVERRIDING SYSTEM VALUE
    SELECT n, 'Project ' || n, 'https://pictures.example/' || n, n FROM generate_series(1, 3) AS n;
    ${environments
      .map(
        (environment) => `
    INSERT INTO companies (company_id, name) VALUES ('${companyId(environment)}', 'Company ${environment}');
    INSERT INTO environments (environment_id, company_id, kind, transaction_tag) OVERRIDING SYSTEM VALUE
    VALUES (${environment}, '${companyId(environment)}', 'production', 'AAA${environment}');
    ${environment === bank ? '' : `INSERT INTO bank_links (environment_id, bank_environment_id, kind, linked_at) VALUES (${environment}, ${bank}, 'production', '${day(30)}');`}
    ${addRows(environment, environment === big ? rowsOfBig : rowsOfOthers)};`,
      )
      .join('\n')}
    SET session_replication_role = DEFAULT`);
    await database.admin.query('VACUUM (ANALYZE)');
    connection = new Client(sessionConfig({ connectionString: database.url }));
    await connection.connect();
  },
  120_000 + planRows(0),
);
afterAll(async () => {
  await connection.end();
  await database.drop();
});

/** Rows of `bank_links` do not count: two environments have few links. */
const rowsOfTables = (step: AnalyzedPlan): number =>
  step['Relation Name'] === undefined || step['Relation Name'] === 'bank_links'
    ? 0
    : rowsOfStep(step) + (step['Heap Fetches'] ?? 0);

const orderOf = (filter: ContributionFilter) =>
  filter.completedFrom === undefined && filter.completedTo === undefined ? 'created' : 'completed';

/** The rows that a page reads: those of the caller and of each linked environment. */
async function rowsOfPage(caller: number, filter: ContributionFilter): Promise<number> {
  const range = {
    order: orderOf(filter),
    after: undefined,
    before: undefined,
    maxRows: 21,
    maxScanned: 2_000,
  } as const;
  const linked = caller === bank ? environments.filter((environment) => environment !== bank) : [];
  let read = 0;
  for (const environmentId of [undefined, ...linked]) {
    const link =
      environmentId === undefined ? undefined : { environmentId, since: day(30), activeAt: day(200) };
    const { text, values } = listQuery(caller, filter, range, link);
    const { rows } = await connection.query<{
      'QUERY PLAN': { Plan: AnalyzedPlan; 'Execution Time': number }[];
    }>(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, values);
    const [explained] = rows[0]!['QUERY PLAN'];
    reportTime(`${caller} ${JSON.stringify(filter)}`, explained!['Execution Time'], explained!.Plan);
    read += sumOfSteps(explained!.Plan, rowsOfTables);
  }
  return read;
}

/** Each way to set or omit each filter. */
const settings: ContributionFilter[][] = [
  [{}, { status: 'pending' }, { status: 'completed' }],
  [{}, { createdFrom: day(50) }, { createdFrom: day(5), createdTo: day(35) }],
  [{}, { completedFrom: day(50) }, { completedFrom: day(20), completedTo: day(95) }],
  [{}, { projectId: '1' }, { projectId: '3' }],
  [{}, { userHash: heavyUser }, { userHash: 'user-777' }],
  [{}, { idempotencyKey: 'key-9901' }],
  [{}, { companyId: companyId(big) }],
  [{}, { bankReference: 'heavy', valueDate: '2026-02-14' }],
];

const combinations = settings.reduce<ContributionFilter[]>(
  (made, ways) => made.flatMap((filter) => ways.map((way) => ({ ...filter, ...way }))),
  [{}],
);

/**
 * 2,000 rows of each environment are read, and up to as many again to find the end of the window.
 */
const mostOfEnvironment = 4_100;

test.each([
  ['a company', big, mostOfEnvironment],
  ['a bank', bank, mostOfEnvironment * environments.length],
])(
  'a page of %s reads a bounded number of rows with any filters',
  async (_who, caller, bound) => {
    const offenders: unknown[] = [];
    for (const filter of combinations) {
      const read = await rowsOfPage(caller, filter);
      if (read > bound) offenders.push({ ...filter, read });
    }
    expect(combinations.length).toBe(1944);
    expect(offenders).toEqual([]);
  },
  300_000,
);

const served: [string, ContributionFilter][] = [
  ['all', {}],
  ['those that are pending', { status: 'pending' }],
  ['those created since some day', { createdFrom: day(50) }],
  ['those completed since some day', { completedFrom: day(50) }],
  ['those of a project', { projectId: '1' }],
  ['those of a rare project', { projectId: '3' }],
  ['those of a project completed since some day', { projectId: '1', completedFrom: day(50) }],
  ['those of a rare project completed since some day', { projectId: '3', completedFrom: day(50) }],
  ['those of a user', { userHash: 'user-777' }],
  ['those of a user completed since some day', { userHash: 'user-777', completedFrom: day(50) }],
  ['those of a heavy user completed since some day', { userHash: heavyUser, completedFrom: day(50) }],
  ['those with a reference', { bankReference: 'FT-777' }],
  ['those with a frequent reference', { bankReference: 'heavy' }],
  ['those with a frequent reference since some day', { bankReference: 'heavy', createdFrom: day(50) }],
  ['those with a value date', { valueDate: '2026-02-14' }],
  ['those with a value date since some day', { valueDate: '2026-02-14', createdFrom: day(44) }],
  ['the contribution with a key', { idempotencyKey: 'key-9901' }],
];

test.each(served)('a page of a company, %s, reads about as many rows as it shows', async (_what, filter) => {
  expect(await rowsOfPage(big, filter)).toBeLessThan(400);
});

test('pages that end early lead through the whole list, with each contribution once', async () => {
  const run = async (text: string, values: readonly unknown[]) =>
    (await connection.query(text, [...values])).rows as never[];
  const lists = createContributionsListStore({ runUnprepared: run } as Pick<
    Database,
    'runUnprepared'
  > as Database);
  const principal: Principal = {
    apiKey: 'cpk',
    environmentId: big,
    environmentKind: 'production',
    transactionTag: 'AAA1',
    faultyOperations: [],
    isFrozen: false,
    scopes,
    rateLimits: { requestsPerSecond: null, completionsPerSecond: null },
  };
  const filter = { createdFrom: day(0), createdTo: day(40), completedFrom: day(45) };
  const { rows } = await database.admin.query<{ transaction_id: string }>(
    `SELECT transaction_id FROM transactions WHERE environment_id = $1 AND created_at < $2 AND completed_at >= $3
      ORDER BY completed_at, transaction_id`,
    [big, filter.createdTo, filter.completedFrom],
  );
  const shown: string[] = [];
  let pages = 0;
  let after: ListPlace | undefined;
  do {
    const page = await lists.list(principal, filter, {
      order: 'completed',
      limit: 1_000,
      after,
      requestId: 'r',
    });
    shown.push(...page.contributions.map(({ transactionId }) => transactionId));
    pages += 1;
    after = page.next;
  } while (after);
  expect(rows.length).toBeGreaterThan(10);
  expect(pages).toBeGreaterThan(rows.length / 1_000 + 5);
  expect(shown).toEqual(rows.map((row) => row.transaction_id));
});
