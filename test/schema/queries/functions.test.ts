/**
 * Its own modules: the parser of PostgreSQL keeps 130 MB.
 *
 * @jest-environment node
 */
import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { operatorRole, serviceRole } from '../../../src/db/roles/roles';
import { rejectedByCitus } from '../../support/citus/rejected-updates';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import {
  type DatabaseFunction,
  type Embedded,
  embeddedIn,
  loadFunctionParser,
  readFunctions,
} from '../../support/database-functions';
import { unscopedUses } from '../../support/tenancy/unscoped-uses';

/** The functions of the database that record contributions, completions and returns. */
let database: TestDatabase;
let functions: DatabaseFunction[];
let queries: (Embedded & { name: string })[];

beforeAll(async () => {
  await loadFunctionParser();
  database = await createTestDatabase();
  functions = await readFunctions(database.admin);
  queries = functions.flatMap((one) =>
    embeddedIn(one)
      .filter(({ kind }) => kind === 'statement')
      .map((embedded) => ({ ...embedded, name: one.name })),
  );
});
afterAll(() => database.drop());

test('run with the privileges of the caller and a fixed search_path, and only the service may call them', async () => {
  const { rows } = await database.admin.query(
    `SELECT p.proname AS name, p.prosecdef AS "isDefiner", p.proconfig AS settings,
            ARRAY(SELECT a.grantee::regrole::text FROM aclexplode(p.proacl) a WHERE a.grantee <> p.proowner) AS callers
       FROM pg_proc p
      WHERE p.proname LIKE '%\\_contribution%'
        AND p.proname NOT IN ('wait_for_contribution_writers', 'count_contributions', 'count_contributions_of')
          OR p.proname LIKE 'record\\_return%' OR p.proname IN ('put_settlement_list', 'put_day_chunk', 'decide_lines')
      ORDER BY p.proname`,
  );
  const rights = { isDefiner: false, settings: ['search_path=public, pg_temp'], callers: [serviceRole] };
  const withoutScans = [...rights.settings, 'enable_seqscan=off'];
  expect(rows).toEqual([
    { name: 'complete_contribution', ...rights },
    { name: 'complete_contribution_of', ...rights },
    { name: 'complete_contributions', ...rights },
    { name: 'complete_contributions_of', ...rights },
    { name: 'correct_contribution', ...rights },
    {
      name: 'correct_contribution_as_operator',
      isDefiner: true,
      settings: ['search_path=pg_catalog, public, pg_temp'],
      callers: [operatorRole],
    },
    { name: 'correct_contribution_of', ...rights },
    { name: 'create_contribution', ...rights },
    { name: 'decide_lines', ...rights, settings: withoutScans },
    { name: 'put_day_chunk', ...rights, settings: withoutScans },
    { name: 'put_settlement_list', ...rights },
    { name: 'record_return', ...rights },
    { name: 'record_return_of', ...rights },
  ]);
});

test('every use of tenant data is bound to an environment', () => {
  expect(queries.length).toBeGreaterThan(15);
  const offenders = queries.flatMap(({ name, text }) =>
    unscopedUses(text).map((problem) => `${name}: ${problem}`),
  );
  expect(offenders).toEqual([]);
});

test('no update or deletion computes what Citus rejects', () => {
  const changes = queries.filter(({ text }) => /^(UPDATE|DELETE|WITH)\b/.test(text));
  expect(changes.length).toBeGreaterThan(20);
  const offenders = changes.flatMap(({ name, text }) =>
    rejectedByCitus(text).map((problem) => `${name}: ${problem}`),
  );
  expect(offenders).toEqual([]);
});

test('the functions delete and update only the listed tables', () => {
  const deletions = queries.filter(({ text }) => /\b(DELETE|TRUNCATE)\b/.test(text));
  const deletedFrom = /\b(?:DELETE FROM|TRUNCATE) (\w+)/;
  expect(deletions.map(({ name, text }) => `${name}: ${deletedFrom.exec(text)?.[1] ?? ''}`)).toEqual([
    'check_webhook_retries: webhook_retries',
    'choose_day_version: line_exceptions',
    'publish_upload: statement_upload_chunks',
    'put_day_chunk: line_outcomes',
    'put_day_chunk: line_allocations',
    'remove_account_number: account_numbers',
    'reopen_month: closed_months',
    'reset_sandbox: webhook_endpoints',
    'reset_sandbox: sandbox_settings',
    'set_sandbox_settings: bank_links',
    'settle_webhook_retries: webhook_retries',
    'void_statements: statement_upload_chunks',
  ]);
  const updates = queries.filter(({ text }) => text.startsWith('UPDATE'));
  expect(updates.map(({ name, text }) => `${name}: ${text.split(/\s+/)[1] ?? ''}`)).toEqual([
    'answer_day: statement_accounts',
    'answer_day: account_days',
    'apply_return: transactions',
    'check_webhook_retries: webhook_retries',
    'check_webhook_retries: webhook_endpoints',
    'choose_day_version: account_days',
    'choose_day_version: account_days',
    'claim_webhook_endpoint: webhook_endpoints',
    'close_month: account_days',
    'complete_contribution_of: transactions',
    'complete_contribution_of: transactions',
    'complete_contribution_of: supports',
    'complete_contribution_of: supports',
    'correct_contribution_of: transactions',
    'create_contribution: users',
    'decide_lines: account_days',
    'decide_lines: contribution_money',
    'decide_lines: contribution_money',
    'free_next_webhook_retries: webhook_retries',
    'mark_all_days: account_days',
    'mark_days_of_references: account_days',
    'publish_upload: statement_uploads',
    'put_day_chunk: account_days',
    'put_day_chunk: contribution_money',
    'record_return_of: transactions',
    'reopen_month: account_days',
    'reset_sandbox: environments',
    'reset_sandbox: key_pairs',
    'reset_sandbox: sandbox_settlements',
    'reset_sandbox: bank_links',
    'set_account_rule: account_days',
    'set_account_settings: account_days',
    'set_account_settings: statement_accounts',
    'set_sandbox_settings: bank_links',
    'settle_support: supports',
    'settle_support: supports',
    'settle_webhook_batch: webhook_endpoints',
    'settle_webhook_batch: webhook_endpoints',
    'settle_webhook_retries: webhook_retries',
    'settle_webhook_retries: webhook_retries',
    'spread_day_chunk: account_days',
    'spread_day_chunk: account_days',
    'void_statements: statement_uploads',
  ]);
});

test('the function for operators deletes rows of one environment only', async () => {
  const all = await readFunctions(database.admin, 'contribution_operator');
  const purge = all.find(({ name }) => name === 'purge_retired_environment')!;
  const texts = embeddedIn(purge).map(({ text }) => text);
  const deletions = texts.filter((text) => text.includes('DELETE'));
  expect(deletions).toHaveLength(4);
  const [loop = '', ...others] = deletions;
  expect(loop).toContain('DELETE FROM %1$I d WHERE d.environment_id = $1 AND ');
  expect(loop).toContain('FROM %1$I s WHERE s.environment_id = $1 AND ');
  expect(others.flatMap((text) => unscopedUses(text))).toEqual([]);
});

test.each([
  'append_reset_events',
  'create_contribution',
  'complete_contribution',
  'complete_contribution_of',
  'complete_contributions',
  'complete_contributions_of',
  'decide_lines',
  'put_day_chunk',
  'put_settlement_list',
  'record_return',
  'record_return_of',
  'reset_sandbox',
])('%s cannot be called by an operator or a stranger', async (name) => {
  const client = new Client(sessionConfig({ connectionString: database.adminUrl }));
  await client.connect();
  try {
    await client.query('SET ROLE contribution_operator');
    const { rows } = await client.query<{ types: string }>(
      'SELECT oidvectortypes(proargtypes) AS types FROM pg_proc WHERE proname = $1',
      [name],
    );
    const values = rows[0]!.types.split(', ').map((type) => `NULL::${type}`);
    await expect(client.query(`SELECT ${name}(${values.join(', ')})`)).rejects.toMatchObject({
      code: '42501',
    });
  } finally {
    await client.end();
  }
});
