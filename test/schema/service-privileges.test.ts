import { readdirSync } from 'node:fs';
import path from 'node:path';

import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import type { Database } from '../../src/db/pool/database';
import { serviceRole } from '../../src/db/roles/roles';
import { readSchemaState } from '../../src/db/migrations/schema-state';
import type * as QueryModule from '../../src/db/query';
import type { Query } from '../../src/db/query';
import type * as TransactionsList from '../../src/core/contributions/contributions-list.store';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { longTest } from '../support/full-run';
import { addContributions, callsOfFunctions, type FunctionCall } from '../support/function-calls';

/**
 * The service's role has exactly the privileges that its queries need: those of
 * `database/privileges.sql` are compared with the queries in both directions.
 */

/** Queries that only an operator's command runs, as the owner. */
const operatorStores = [
  'bank-links.store.ts',
  'bank-links-lookup.store.ts',
  'companies.store.ts',
  'key-pair-lifecycle.store.ts',
  'rate-limits.store.ts',
];

const mockQueries: Query[] = [];
jest.mock('../../src/db/query', () => {
  const actual = jest.requireActual<typeof QueryModule>('../../src/db/query');
  return {
    ...actual,
    query: (...declared: Parameters<typeof actual.query>) => {
      const made = actual.query(...declared);
      mockQueries.push(made);
      return made;
    },
  };
});

let database: TestDatabase;
let session: Client;
let calls: FunctionCall[];
/** Every query that the service sends, by name. */
const queries = new Map<string, string>();

/**
 * Collects queries that are built per call, with a database that records them and returns no
 * rows.
 */
async function recordUnprepared(): Promise<void> {
  const recorder: Database = {
    run: () => Promise.reject(new Error('this one is prepared')),
    runReadOnly: () => Promise.reject(new Error("this one is an operator's")),
    runUnprepared: (text) => {
      queries.set(`unprepared ${queries.size}`, text);
      // Two queries need a result: the tables exist, and there is a visibility horizon.
      return Promise.resolve([
        { has_migrations: true, has_functions: true, complete_until: new Date() } as never,
      ]);
    },
    close: () => Promise.resolve(),
  };
  await readSchemaState(recorder);
  const principal = {
    apiKey: 'k',
    environmentId: 1,
    environmentKind: 'test',
    transactionTag: 'AAA0',
    faultyOperations: [],
    isFrozen: false,
    scopes: [],
    rateLimits: { requestsPerSecond: null, completionsPerSecond: null },
  } as const;
  const time = '2026-01-01T00:00:00Z';
  const filter = {
    status: 'pending',
    completedFrom: time,
    projectId: '1',
    companyId: '00000000-0000-7000-8000-000000000000',
    userHash: 'u',
    idempotencyKey: 'i',
  } as const;
  const { createContributionsListStore } = jest.requireActual<typeof TransactionsList>(
    '../../src/core/contributions/contributions-list.store',
  );
  const list = createContributionsListStore(recorder);
  const after = { key: [1, 'id'], completeUntil: new Date(), readAt: new Date() } as const;
  // An empty result is not a valid page, so presenting it fails after the query was sent.
  await list
    .list(principal, filter, { order: 'completed', limit: 1, after, requestId: 'r' })
    .catch(() => undefined);
}

/**
 * Whether the role may run it. PostgreSQL checks privileges when execution of a plan starts, and
 * EXPLAIN starts it.
 */
async function mayRun(text: string): Promise<boolean> {
  try {
    return await isPermitted(async () => {
      await session.query(`PREPARE attempt AS ${text}`);
      const { rows } = await session.query<{ parameters: number }>(
        `SELECT cardinality(parameter_types) AS parameters FROM pg_prepared_statements WHERE name = 'attempt'`,
      );
      const nulls = Array.from({ length: rows[0]!.parameters }, () => 'NULL').join(', ');
      await session.query(`EXPLAIN EXECUTE attempt${nulls === '' ? '' : `(${nulls})`}`);
    });
  } finally {
    await session.query('DEALLOCATE ALL');
  }
}

/** Whether the role may run everything that a call of a function runs. */
const mayCall = ({ text, values }: FunctionCall): Promise<boolean> =>
  isPermitted(() => session.query(text, [...values]));

/** Whether the role may make the attempt, which is undone afterwards. @throws any other error */
async function isPermitted(attempt: () => Promise<unknown>): Promise<boolean> {
  await session.query('SAVEPOINT attempt');
  try {
    await attempt();
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    return false;
  } finally {
    await session.query('ROLLBACK TO SAVEPOINT attempt');
  }
}

beforeAll(async () => {
  for (const folder of ['core', 'features']) {
    const root = path.join(__dirname, '..', '..', 'src', folder);
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const isTheServices =
        /\.(store|read-model|query)\.ts$/.test(entry.name) &&
        !/\/(cli|operator)$/.test(entry.parentPath) &&
        !operatorStores.includes(entry.name);
      if (isTheServices) jest.requireActual(path.join(entry.parentPath, entry.name));
    }
  }
  for (const { name, text } of mockQueries) queries.set(name, text);
  await recordUnprepared();
  database = await createTestDatabase();
  session = new Client(sessionConfig({ connectionString: database.adminUrl }));
  await session.connect();
  calls = callsOfFunctions(await addContributions(session), queries);
  // A custom plan would remove branches that NULL parameters make unreachable.
  await session.query(`SET plan_cache_mode = 'force_generic_plan'`);
});
afterAll(async () => {
  await session.end();
  await database.drop();
});

test('PUBLIC has no privilege', async () => {
  const { rows } = await session.query(
    `SELECT table_name FROM information_schema.column_privileges WHERE table_schema = 'public' AND grantee = 'PUBLIC'`,
  );
  expect(rows).toEqual([]);
});

test('no privilege covers a whole table or a sequence or can be granted further, except to delete what is not a contribution', async () => {
  const { rows } = await session.query(
    `SELECT c.relname, a.privilege_type FROM pg_class c, aclexplode(c.relacl) a
      WHERE c.relnamespace = 'public'::regnamespace AND a.grantee IN (0, $1::regrole)
     UNION ALL
     SELECT t.attname, a.privilege_type FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid, aclexplode(t.attacl) a
      WHERE c.relnamespace = 'public'::regnamespace AND (a.grantee = 0 OR a.grantee = $1::regrole AND a.is_grantable)`,
    [serviceRole],
  );
  expect(rows).toHaveLength(14);
  expect(rows).toEqual(
    expect.arrayContaining([
      { relname: 'account_numbers', privilege_type: 'DELETE' },
      { relname: 'closed_months', privilege_type: 'DELETE' },
      { relname: 'line_exceptions', privilege_type: 'DELETE' },
      { relname: 'line_outcomes', privilege_type: 'DELETE' },
      { relname: 'line_allocations', privilege_type: 'DELETE' },
      { relname: 'project_figure_changes', privilege_type: 'DELETE' },
      { relname: 'sandbox_requests', privilege_type: 'DELETE' },
      { relname: 'statement_uploads', privilege_type: 'DELETE' },
      { relname: 'statement_upload_chunks', privilege_type: 'DELETE' },
      { relname: 'webhook_endpoints', privilege_type: 'DELETE' },
      { relname: 'webhook_attempts', privilege_type: 'DELETE' },
      { relname: 'webhook_deliveries', privilege_type: 'DELETE' },
      { relname: 'webhook_replays', privilege_type: 'DELETE' },
      { relname: 'webhook_retries', privilege_type: 'DELETE' },
    ]),
  );
});

test('every statement of the service is permitted', async () => {
  expect(queries.size).toBeGreaterThan(12);
  const refused: string[] = [];
  await session.query('BEGIN');
  await session.query(`SET LOCAL ROLE ${serviceRole}`);
  for (const [name, text] of queries) if (!(await mayRun(text))) refused.push(name);
  for (const call of calls) if (!(await mayCall(call))) refused.push(call.situation);
  await session.query('ROLLBACK');
  expect(refused).toEqual([]);
});

longTest(
  'every privilege is needed: without it some statement is not permitted',
  async () => {
    const { rows: granted } = await session.query<{ table: string; privilege: string; column: string }>(
      `SELECT c.relname AS "table", p.privilege_type AS privilege, a.attname AS "column"
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid CROSS JOIN LATERAL aclexplode(a.attacl) p
      WHERE c.relnamespace = 'public'::regnamespace AND p.grantee = $1::regrole`,
      [serviceRole],
    );
    expect(granted.length).toBeGreaterThan(300);
    const needless: string[] = [];
    for (const { table, privilege, column } of granted) {
      await session.query('BEGIN');
      await session.query(`REVOKE ${privilege} (${column}) ON ${table} FROM ${serviceRole}`);
      await session.query(`SET LOCAL ROLE ${serviceRole}`);
      let isNeeded = false;
      for (const text of queries.values()) {
        // Only queries that name the table can depend on it.
        if (!isNeeded && text.includes(table)) isNeeded = !(await mayRun(text));
      }
      for (const call of calls) isNeeded ||= !(await mayCall(call));
      await session.query('ROLLBACK');
      if (!isNeeded) needless.push(`${privilege} (${column}) ON ${table}`);
    }
    expect(needless).toEqual([]);
  },
  180_000,
);
