import { readdirSync } from 'node:fs';
import path from 'node:path';

import { Client } from 'pg';

import type { Database } from '../../src/db/pool/database';
import { serviceRole } from '../../src/db/roles/roles';
import { readSchemaState } from '../../src/db/migrations/schema-state';
import type * as StatementModule from '../../src/db/statement';
import type { Statement } from '../../src/db/statement';
import type * as TransactionsList from '../../src/modules/contributions/contributions-list.store';
import { scopes } from '../../src/shared/scopes';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { addContributions, callsOfFunctions, type FunctionCall } from '../support/function-calls';

/**
 * The service's role has exactly the privileges that its statements need. They are listed here by
 * column and compared with the statements in both directions.
 */
const expected: Record<string, Partial<Record<'SELECT' | 'INSERT' | 'UPDATE', string>>> = {
  allocations: {
    INSERT:
      'amount_cents confidence entry_id environment_id expected_cents kind state transaction_environment_id transaction_id',
    SELECT:
      'amount_cents confidence entry_id environment_id expected_cents kind state transaction_environment_id transaction_id',
    UPDATE: 'amount_cents confidence kind state',
  },
  bank_links: { SELECT: 'bank_environment_id environment_id linked_at unlinked_at' },
  companies: { SELECT: 'company_id name suspended_at' },
  contribution_totals: {
    SELECT:
      'amount_cents basis completed_by_environment_id completed_since contributions created_since day environment_id project_id returned_cents',
  },
  contribution_totals_turn: { SELECT: 'complete_until only_row' },
  entry_references: {
    INSERT: 'class_key environment_id reference',
    SELECT: 'class_key environment_id reference',
  },
  entry_sources: {
    INSERT:
      'amount_cents bank_reference booking_date charges_cents class_key currency direction environment_id file_id has_reference line occurrence parent_key place plain_key problem return_code search statement_number',
    SELECT:
      'amount_cents bank_reference booking_date charges_cents class_key currency direction environment_id file_id has_reference occurrence parent_key place plain_key problem return_code search statement_number',
  },
  environments: {
    SELECT:
      'company_id completions_per_second environment_id figures_scope kind requests_per_second retired_at transaction_tag',
  },
  event_queue: { INSERT: 'environment_id event_id queued_at', SELECT: 'queued_at' },
  events: {
    INSERT: 'actor_api_key actor_environment_id environment_id event_id evidence transaction_id type',
  },
  feed_events: {
    SELECT: 'data environment_id event_id recorded_at sequence transaction_id type written_at',
  },
  feeds: { SELECT: 'environment_id first_sequence last_sequence' },
  key_pairs: {
    SELECT: 'api_key environment_id expires_at last_used_at pepper_version revoked_at scopes secret_hmac',
    UPDATE: 'last_used_at',
  },
  knex_migrations: { SELECT: 'id name' },
  matching_progress: {
    INSERT: 'environment_id matched_links matched_sequence seen_links seen_sequence',
    SELECT:
      'claimed_until environment_id files_turn_at matched_decisions matched_links matched_lists matched_sequence open_14_to_30_days open_7_to_14_days open_over_30_days positions_due_at rules seen_decisions seen_directions seen_links seen_lists seen_sequence',
    UPDATE:
      'claimed_until files_turn_at matched_decisions matched_links matched_lists matched_sequence open_14_to_30_days open_7_to_14_days open_over_30_days positions_due_at rules seen_decisions seen_directions seen_links seen_lists seen_sequence',
  },
  money_returns: {
    INSERT:
      'amount_cents bank_reference code environment_id kind recorded_at recorded_by_api_key recorded_by_environment_id return_id transaction_id undoes value_date',
    SELECT:
      'amount_cents bank_reference code environment_id kind recorded_at return_id transaction_id undoes value_date',
  },
  project_figure_changes: {
    INSERT: 'amount_cents environment_id project_id supporters',
    SELECT: 'amount_cents change_id environment_id project_id recorded_at supporters',
  },
  project_figures: {
    INSERT: 'figures_scope project_id raised_cents supporters_count',
    SELECT: 'figures_scope project_id raised_cents supporters_count',
    UPDATE: 'raised_cents supporters_count',
  },
  project_figures_turn: { SELECT: 'only_row taken_at', UPDATE: 'taken_at' },
  project_figures_uncounted: { SELECT: 'environment_id' },
  project_highlights: { SELECT: 'body image_url position project_id title' },
  projects: {
    SELECT:
      'category country created_at description goal_amount_cents organization project_id project_image_url project_name published_story_numbers rank status summary updated_at',
  },
  reconciliation_decisions: {
    INSERT:
      'action allocations decided_by_api_key decision_id entry_id environment_id known_money line_key number reason',
    SELECT:
      'action allocations decided_at decision_id entry_id environment_id is_superseded known_money line_key number reason',
  },
  sandbox_faults: {
    INSERT: 'armed_at delay_ms environment_id expires_at kind operation times times_left',
    SELECT: 'armed_at delay_ms environment_id expires_at kind operation times times_left',
    UPDATE: 'armed_at delay_ms expires_at times times_left',
  },
  sandbox_requests: {
    INSERT:
      'api_key details duration_ms entry_id environment_id error_code idempotency_key method operation path received_at request_id status',
    SELECT:
      'api_key details duration_ms entry_id environment_id error_code idempotency_key method operation path received_at request_id status',
  },
  sandbox_settings: {
    SELECT: 'environment_id magic_amounts planned_until settle_after_seconds',
    UPDATE: 'planned_until',
  },
  sandbox_settlements: {
    INSERT:
      'amount_cents attempt bank_reference done_at due_at environment_id id_is_mistyped leased_until outcome transaction_id value_date',
    SELECT:
      'amount_cents attempt bank_reference done_at due_at environment_id id_is_mistyped leased_until transaction_id value_date',
    UPDATE: 'done_at leased_until outcome',
  },
  settlement_lines: {
    INSERT: 'amount_cents environment_id reference revision transaction_id',
    SELECT: 'amount_cents environment_id reference revision transaction_id',
  },
  settlement_lists: {
    INSERT: 'environment_id listed_by_api_key reference revision sha256',
    SELECT: 'environment_id reference revision sha256',
  },
  statement_accounts: {
    INSERT: 'account_hmac account_id direction ending environment_id name',
    SELECT:
      'account_hmac account_id complete_coverage created_at direction ending environment_id grace_days name',
    UPDATE: 'complete_coverage direction grace_days',
  },
  statement_entries: {
    INSERT:
      'account_id amount_cents bank_reference booking_date charges_cents class_key currency direction entry_id environment_id is_decided line_key occurrence outcome reason return_code standing',
    SELECT:
      'account_id amount_cents bank_reference booking_date charges_cents class_key currency direction entry_id environment_id first_seen_at is_decided line_key outcome reason return_code standing',
    UPDATE:
      'bank_reference booking_date charges_cents is_decided line_key outcome reason return_code standing',
  },
  statement_files: {
    INSERT: 'entry_count environment_id file_id format problems reading sha256 version',
    SELECT:
      'claimed_until entry_count environment_id file_id format matched_at matched_count problems reading received_at rules sha256 state version void_reason voided_at',
    UPDATE: 'claimed_until matched_at matched_count rules state void_reason voided_at',
  },
  statement_money: {
    INSERT:
      'decided_at environment_id expected_cents gross_cents is_decided other_gross_cents other_returned_cents returned_cents transaction_environment_id transaction_id',
    SELECT:
      'decided_at environment_id gross_cents is_decided other_gross_cents other_returned_cents returned_cents transaction_environment_id transaction_id',
    UPDATE: 'decided_at gross_cents is_decided other_gross_cents other_returned_cents returned_cents',
  },
  statements: {
    INSERT:
      'account_id balance bank_statement_id closing_cents currency daily_cents ends_at_ms entry_count environment_id file_id is_period_known kind made_at number opening_cents period_from period_to sequence starts_at_ms',
    SELECT:
      'account_id balance bank_statement_id closing_cents daily_cents ends_at_ms entry_count environment_id file_id is_period_known kind made_at number opening_cents period_from period_to sequence starts_at_ms',
  },
  stories: { SELECT: 'body image_url project_id published_at status story_id story_number title' },
  story_views: {
    INSERT: 'environment_id project_id user_id viewed_story_numbers',
    SELECT: 'environment_id project_id user_id viewed_story_numbers',
    UPDATE: 'viewed_story_numbers',
  },
  supports: {
    INSERT: 'environment_id first_supported_at last_supported_at project_id user_id',
    SELECT: 'ended_at environment_id first_supported_at last_supported_at project_id user_id',
    UPDATE: 'ended_at first_supported_at last_supported_at',
  },
  transactions: {
    INSERT:
      'amount_cents created_at created_by_api_key currency environment_id idempotency_key project_id status transaction_id user_id',
    SELECT:
      'amount_cents bank_reference completed_at completed_by_environment_id created_at currency environment_id idempotency_key project_id returned_cents status transaction_id user_id value_date',
    UPDATE:
      'bank_reference completed_at completed_by_api_key completed_by_environment_id returned_cents status value_date',
  },
  webhook_attempts: {
    INSERT:
      'attempt attempt_id attempted_at duration_ms endpoint_id environment_id event_id failure kind outcome response status',
    SELECT:
      'attempt attempt_id attempted_at duration_ms endpoint_id environment_id event_id failure kind outcome response status',
  },
  webhook_replays: {
    INSERT:
      'attempts created_at delivered_count endpoint_id environment_id event_count from_sequence next_attempt_at position replay_id selection skipped_count skipped_in_row to_sequence types',
    SELECT:
      'attempts created_at delivered_count ended_at endpoint_id environment_id event_count from_sequence lease_id leased_until next_attempt_at outcome position replay_id selection skipped_count skipped_in_row to_sequence types',
    UPDATE:
      'attempts delivered_count ended_at lease_id leased_until next_attempt_at outcome position skipped_count skipped_in_row',
  },
  webhook_retries: {
    INSERT:
      'attempts created_at endpoint_id environment_id event_id next_attempt_at outage_attempts sequence transaction_id',
    SELECT:
      'attempts endpoint_id environment_id event_id next_attempt_at outage_attempts sequence transaction_id',
    UPDATE: 'attempts next_attempt_at outage_attempts',
  },
  webhook_endpoints: {
    INSERT:
      'created_at description endpoint_id environment_id environment_kind failure_count key_version notice_count position probe_count secret_version slot types updated_at url verified_at',
    SELECT:
      'created_at delivered_at description disabled_at disabled_reason endpoint_id environment_id environment_kind failing_since failure_count frees_retries key_version lease_id leased_until next_probe_at notice_count position previous_key_version previous_secret_until probe_count retries_checked_to secret_rotated_at secret_version slot types updated_at url verified_at',
    UPDATE:
      'delivered_at description disabled_at disabled_reason failing_since failure_count frees_retries key_version lease_id leased_until next_probe_at notice_count position previous_key_version previous_secret_until probe_count retries_checked_to secret_rotated_at secret_version types updated_at url verified_at',
  },
  users: {
    INSERT: 'environment_id first_name user_hash',
    SELECT: 'environment_id first_name forgotten_at user_hash user_id',
    UPDATE: 'first_name',
  },
};

/** Statements that only an operator's command runs, as the owner. */
const operatorStores = ['companies.store.ts', 'key-pair-lifecycle.store.ts', 'rate-limits.store.ts'];

const mockStatements: Statement[] = [];
jest.mock('../../src/db/statement', () => {
  const actual = jest.requireActual<typeof StatementModule>('../../src/db/statement');
  return {
    ...actual,
    statement: (...declared: Parameters<typeof actual.statement>) => {
      const made = actual.statement(...declared);
      mockStatements.push(made);
      return made;
    },
  };
});

let database: TestDatabase;
let session: Client;
let calls: FunctionCall[];
/** Every statement that the service sends, by name. */
const statements = new Map<string, string>();

/**
 * Collects statements that are built per call, with a database that records them and returns no
 * rows.
 */
async function recordUnprepared(): Promise<void> {
  const recorder: Database = {
    run: () => Promise.reject(new Error('this one is prepared')),
    runReadOnly: () => Promise.reject(new Error("this one is an operator's")),
    runUnprepared: (text) => {
      statements.set(`unprepared ${statements.size}`, text);
      // Two queries need a result: the migrations table exists, and there is a visibility horizon.
      return Promise.resolve([{ exists: true, complete_until: new Date() } as never]);
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
    scopes,
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
    '../../src/modules/contributions/contributions-list.store',
  );
  const list = createContributionsListStore(recorder);
  const after = { key: [1, 'id'], completeUntil: new Date(), readAt: new Date() } as const;
  // An empty result is not a valid page, so presenting it fails after the statement was sent.
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
  const modules = path.join(__dirname, '..', '..', 'src', 'modules');
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const isTheServices =
      /\.(store|read-model|statement)\.ts$/.test(entry.name) && !operatorStores.includes(entry.name);
    if (isTheServices) jest.requireActual(path.join(entry.parentPath, entry.name));
  }
  for (const { name, text } of mockStatements) statements.set(name, text);
  await recordUnprepared();
  database = await createTestDatabase();
  session = new Client({ connectionString: database.adminUrl });
  await session.connect();
  calls = callsOfFunctions(await addContributions(session), statements);
  // A custom plan would remove branches that NULL parameters make unreachable.
  await session.query(`SET plan_cache_mode = 'force_generic_plan'`);
});
afterAll(async () => {
  await session.end();
  await database.drop();
});

const granted = Object.entries(expected).flatMap(([table, privileges]) =>
  Object.entries(privileges).flatMap(([privilege, columns]) =>
    columns.split(' ').map((column) => ({ table, privilege, column })),
  ),
);

test('the role has the listed privileges, and PUBLIC has none', async () => {
  const { rows } = await session.query<{ table: string; privilege: string; column: string }>(
    `SELECT table_name AS "table", privilege_type AS privilege, column_name AS "column"
       FROM information_schema.column_privileges
      WHERE table_schema = 'public' AND grantee IN ($1, 'PUBLIC')`,
    [serviceRole],
  );
  const line = (row: { table: string; privilege: string; column: string }): string =>
    `${row.table} ${row.privilege} ${row.column}`;
  expect(rows.map(line).sort()).toEqual(granted.map(line).sort());
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
  expect(rows).toHaveLength(6);
  expect(rows).toEqual(
    expect.arrayContaining([
      { relname: 'project_figure_changes', privilege_type: 'DELETE' },
      { relname: 'sandbox_requests', privilege_type: 'DELETE' },
      { relname: 'webhook_endpoints', privilege_type: 'DELETE' },
      { relname: 'webhook_attempts', privilege_type: 'DELETE' },
      { relname: 'webhook_replays', privilege_type: 'DELETE' },
      { relname: 'webhook_retries', privilege_type: 'DELETE' },
    ]),
  );
});

test('every statement of the service is permitted', async () => {
  expect(statements.size).toBeGreaterThan(12);
  const refused: string[] = [];
  await session.query('BEGIN');
  await session.query(`SET LOCAL ROLE ${serviceRole}`);
  for (const [name, text] of statements) if (!(await mayRun(text))) refused.push(name);
  for (const call of calls) if (!(await mayCall(call))) refused.push(call.situation);
  await session.query('ROLLBACK');
  expect(refused).toEqual([]);
});

test('every privilege is needed: without it some statement is not permitted', async () => {
  const needless: string[] = [];
  for (const { table, privilege, column } of granted) {
    await session.query('BEGIN');
    await session.query(`REVOKE ${privilege} (${column}) ON ${table} FROM ${serviceRole}`);
    await session.query(`SET LOCAL ROLE ${serviceRole}`);
    let isNeeded = false;
    for (const text of statements.values()) {
      // Only statements that name the table can depend on it.
      if (!isNeeded && text.includes(table)) isNeeded = !(await mayRun(text));
    }
    for (const call of calls) isNeeded ||= !(await mayCall(call));
    await session.query('ROLLBACK');
    if (!isNeeded) needless.push(`${privilege} (${column}) ON ${table}`);
  }
  expect(needless).toEqual([]);
}, 180_000);
