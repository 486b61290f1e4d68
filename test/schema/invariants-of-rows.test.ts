import type { Pool } from 'pg';

import { generateTransactionId } from '../../src/shared/transaction-id';
import { addProject } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';

/**
 * Row constraints of the tables that belong to an environment: required columns, bounds, foreign
 * keys and unique keys. The constraints on the life of a transaction are in invariants.test.ts.
 */
type Row = Record<string, unknown>;

let database: TestDatabase;
let admin: Pool;
let companyId: string;
let environmentId: number;
let otherId: number;
let productionId: number;
let userId: string;
let projectId: number;
let transactionId: string;
let endpointId: string;
const [fileId, accountId, uploadId, statementId] = ['1', '2', '3', '4'].map(
  (digit) => `019a0000-0000-7000-9000-00000000000${digit}`,
);
let firstChange: string;
let count = 0;

const accountHmac = Buffer.from('the hmac of the account');
const nowhere = 2_000_000_000;
const uuid = (): string => `019a0000-0000-7000-8000-${String((count += 1)).padStart(12, '0')}`;

/** A valid row for each table. */
const valid: Record<string, () => Row> = {
  environments: () => ({
    company_id: companyId,
    kind: 'test',
    transaction_tag: 'CCC0',
    created_at: '2026-01-01',
  }),
  key_pairs: () => ({
    api_key: `key ${(count += 1)}`,
    environment_id: environmentId,
    secret_hmac: Buffer.alloc(32),
    pepper_version: 1,
    // A revoked key pair occupies no slot, so any number of them is valid.
    scopes: ['projects:read'],
    slot: 1,
    created_at: '2026-01-01',
    revoked_at: '2026-01-02',
  }),
  bank_links: () => ({
    environment_id: environmentId,
    bank_environment_id: otherId,
    kind: 'test',
    linked_at: new Date(Date.UTC(2026, 0, 1) + (count += 1)).toISOString(),
    unlinked_at: '2026-06-01',
  }),
  users: () => ({
    environment_id: environmentId,
    user_hash: `user${(count += 1)}`,
    created_at: '2026-01-01',
  }),
  transactions: () => ({
    environment_id: environmentId,
    transaction_id: generateTransactionId('AAA0', new Date()),
    user_id: userId,
    project_id: projectId,
    amount_cents: 1000,
    currency: 'USD',
    status: 'pending',
    created_by_api_key: 'cpk_test_x',
    created_at: '2026-01-01',
  }),
  supports: () => ({
    environment_id: environmentId,
    user_id: userId,
    project_id: projectId,
    first_supported_at: '2026-01-01',
    last_supported_at: '2026-01-01',
  }),
  story_views: () => ({
    environment_id: environmentId,
    user_id: userId,
    project_id: projectId,
    viewed_story_numbers: '{[1,2)}',
  }),
  events: () => ({
    environment_id: environmentId,
    event_id: uuid(),
    transaction_id: transactionId,
    type: 'contribution.completion_repeated',
    actor_environment_id: environmentId,
    actor_api_key: 'cpk_test_x',
    evidence: {},
    recorded_at: '2026-01-01',
  }),
  corrections: () => ({
    environment_id: environmentId,
    transaction_id: transactionId,
    completion: (count += 1),
    completed_at: '2026-01-01',
    completed_by_environment_id: environmentId,
    completed_by_api_key: 'cpk_test_x',
    reason: 'wrong',
    actor_login: 'an-operator',
    recorded_at: '2026-01-01',
  }),
  money_returns: () => ({
    environment_id: environmentId,
    return_id: uuid(),
    transaction_id: transactionId,
    kind: 'return',
    amount_cents: 1000,
    bank_reference: `RT ${(count += 1)}`,
    recorded_by_environment_id: environmentId,
    recorded_by_api_key: 'cpk_test_x',
    recorded_at: '2026-01-01',
  }),
  statement_uploads: () => ({
    environment_id: environmentId,
    upload_id: uuid(),
    state: 'received',
    options_hmac: Buffer.alloc(32),
    pepper_version: 1,
    received_at: '2026-01-01',
    sha256: Buffer.from(String((count += 1))),
    byte_count: 1,
    chunk_count: 2,
    attempts: 0,
    next_attempt_at: '2026-01-01',
    read_lines: 0,
    problems: '[]',
  }),
  statement_upload_chunks: () => ({
    environment_id: environmentId,
    upload_id: uploadId,
    number: (count += 1),
    sealed: Buffer.alloc(28),
  }),
  statement_accounts: () => ({
    environment_id: environmentId,
    account_id: uuid(),
    account_hmac: Buffer.from(String((count += 1))),
    direction: 'credit',
    complete_coverage: false,
    grace_days: 3,
    created_at: '2026-01-01',
  }),
  settlement_lists: () => ({
    environment_id: environmentId,
    reference: 'FT-1',
    revision: (count += 1),
    sha256: Buffer.from('digest'),
    listed_by_api_key: 'cpk_test_x',
    listed_at: '2026-01-01',
  }),
  settlement_lines: () => ({
    environment_id: environmentId,
    reference: 'FT-1',
    revision: 0,
    transaction_id: `transaction ${(count += 1)}`,
    amount_cents: 1000,
  }),
  bank_statements: () => ({
    environment_id: environmentId,
    statement_id: uuid(),
    file_id: fileId,
    account_id: accountId,
    format: 'camt.053',
    is_final: true,
    first_day: '2026-01-01',
    last_day: '2026-01-01',
    start_ms: 0,
    end_ms: 86_400_000,
    is_period_stated: true,
    covers_to: '2026-01-01',
    change_cents: 0,
    is_damaged: false,
    digest: 'digest',
  }),
  statement_days: () => ({
    environment_id: environmentId,
    account_id: accountId,
    day: new Date(Date.UTC(2026, 0, (count += 1))),
    statement_id: statementId,
    before_cents: 0,
    change_cents: 0,
  }),
  statement_lines: () => ({
    environment_id: environmentId,
    statement_id: uuid(),
    number: 1,
    account_id: accountId,
    day: '2026-01-01',
    bucket: 1,
    direction: 'credit',
    amount_cents: 1000,
    charges_cents: 0,
    ids: '',
    content: 'content',
    digest: 'digest',
    search: {},
    is_part: false,
    money_hash: 1,
    batch_hash: 1,
  }),
  account_days: () => ({
    environment_id: environmentId,
    account_id: accountId,
    day: new Date(Date.UTC(2026, 0, (count += 1))),
    statement_ids: '{}',
    is_changed: false,
    generation: 0,
    waiting: '0'.repeat(1024),
    working: '0'.repeat(1024),
    spreading: '0'.repeat(1024),
    rules: 0,
    failures: 0,
  }),
  line_exceptions: () => ({
    environment_id: environmentId,
    account_id: accountId,
    day: '2026-01-01',
    generation: 1,
    statement_id: statementId,
    number: (count += 1),
    kind: 'doubtful',
  }),
  line_outcomes: () => ({
    environment_id: environmentId,
    account_id: accountId,
    day: '2026-01-01',
    bucket: 1,
    statement_id: statementId,
    number: (count += 1),
    part: 0,
    state: 'counted',
    replaced_by: null,
    entry_id: uuid(),
    outcome: 'matched',
    direction: 'credit',
    amount_cents: 1000,
    charges_cents: 0,
    digest: 'digest',
    occurrence: 1,
    term: 'matched',
    term_cents: 1000,
    fee_cents: 0,
  }),
  line_references: () => ({
    environment_id: environmentId,
    reference: `reference ${(count += 1)}`,
    account_id: accountId,
    day: '2026-01-01',
    bucket: 1,
  }),
  line_decisions: () => ({
    environment_id: environmentId,
    account_id: accountId,
    number: (count += 1),
    decision_id: uuid(),
    entry_id: uuid(),
    day: '2026-01-01',
    direction: 'credit',
    amount_cents: 1000,
    digest: 'digest',
    content: 'content',
    occurrence: 1,
    money_hash: 1,
    can_move: true,
    action: 'ignore',
    allocations: '[]',
    reason: 'rent',
    decided_by: 'cpk_test_x',
    decided_at: '2026-01-02T00:00:00Z',
  }),
  day_choices: () => ({
    environment_id: environmentId,
    account_id: accountId,
    day: '2026-01-01',
    number: (count += 1),
    kind: 'version',
    version: 'version',
    gap: null,
    among: '{}',
    reason: 'newer',
    decided_by: 'cpk_test_x',
    decided_at: '2026-01-02T00:00:00Z',
  }),
  version_changes: () => ({
    environment_id: environmentId,
    account_id: accountId,
    day: '2026-01-01',
    generation: (count += 1),
    version_before: 'one',
    version_after: 'other',
    lines_gone: 1,
    lines_added: 0,
    changed_at: '2026-01-02T00:00:00Z',
  }),
  comparing_progress: () => ({
    environment_id: environmentId,
    sequence: 1,
    list_revision: 1,
    link_changes: 1,
  }),
  closed_months: () => ({
    environment_id: environmentId,
    month: new Date(Date.UTC(2026, (count += 1), 1)),
    closed_at: '2026-01-02T00:00:00Z',
    closed_by: 'an accountant',
  }),
  month_changes: () => ({
    environment_id: environmentId,
    month: '2026-01-01',
    number: (count += 1),
    kind: 'closed',
    numbers: '{}',
    reason: 'January is complete',
    changed_by: 'cpk_test_x',
    changed_at: '2026-01-02T00:00:00Z',
  }),
  account_rules: () => ({
    environment_id: environmentId,
    account_id: accountId,
    number: (count += 1),
    direction: 'debit',
    code: 'CHRG',
    outcome: 'charge',
    reason: 'monthly fees',
    decided_by: 'cpk_test_x',
    decided_at: '2026-01-02T00:00:00Z',
  }),
  account_numbers: () => ({
    environment_id: environmentId,
    account_hmac: accountHmac,
    account_id: accountId,
    reason: 'its new number',
    decided_by: 'cpk_test_x',
    decided_at: '2026-01-02T00:00:00Z',
  }),
  line_allocations: () => ({
    environment_id: environmentId,
    account_id: accountId,
    day: '2026-01-01',
    bucket: 1,
    entry_id: uuid(),
    transaction_id: 'transaction',
    transaction_environment_id: environmentId,
    kind: 'payment',
    amount_cents: 1000,
    charges_cents: 0,
    expected_cents: 1000,
    confidence: 'exact',
    state: 'confirmed',
  }),
  contribution_money: () => ({
    environment_id: environmentId,
    transaction_id: `transaction ${(count += 1)}`,
    transaction_environment_id: environmentId,
    expected_cents: 1000,
    gross_cents: 1000,
    returned_cents: 0,
    other_gross_cents: 0,
    other_returned_cents: 0,
    charges_cents: 0,
  }),
  project_figure_changes: () => ({
    environment_id: environmentId,
    project_id: projectId,
    amount_cents: 1000,
    supporters: 1,
  }),
  sandbox_faults: () => ({
    environment_id: environmentId,
    operation: `operation ${(count += 1)}`,
    kind: 'delay',
    times: 1,
    times_left: 1,
    delay_ms: 0,
    armed_at: '2026-01-01',
    expires_at: '2026-01-01',
  }),
  sandbox_settings: () => ({
    environment_id: environmentId,
    settle_after_seconds: 2,
    magic_amounts: true,
    planned_until: '-infinity',
  }),
  sandbox_settlements: () => ({
    environment_id: environmentId,
    transaction_id: transactionId,
    attempt: (count += 1),
    due_at: '2026-01-01',
    amount_cents: 1000,
    bank_reference: 'SIM-1',
    id_is_mistyped: false,
  }),
  event_queue: () => ({ environment_id: environmentId, event_id: uuid(), queued_at: '2026-01-01' }),
  environment_events: () => ({
    environment_id: environmentId,
    event_id: uuid(),
    type: 'webhook_endpoint.recovered',
    recorded_at: '2026-01-01',
    audience: '{}',
    data: {},
  }),
  feeds: () => ({ environment_id: otherId, first_sequence: 1, last_sequence: 0 }),
  feed_events: () => ({
    environment_id: environmentId,
    sequence: (count += 1),
    event_id: uuid(),
    owner_environment_id: environmentId,
    transaction_id: transactionId,
    type: 'contribution.created',
    recorded_at: '2026-01-01',
    written_at: '2026-01-01',
    audience: '{}',
    data: {},
  }),
  contribution_totals: () => ({
    environment_id: environmentId,
    basis: 'created',
    day: '2026-01-01',
    project_id: (count += 1),
    completed_by_environment_id: 0,
    created_since: '-infinity',
    completed_since: '-infinity',
    contributions: 1,
    amount_cents: 1000,
    returned_cents: 0,
  }),
  contribution_totals_counted: () => ({ environment_id: (count += 1), sequence: 1 }),
  webhook_endpoints: () => ({
    environment_id: environmentId,
    endpoint_id: uuid(),
    environment_kind: 'test',
    slot: 1,
    url: 'https://app.example.com/webhooks',
    types: '{}',
    created_at: '2026-01-01',
    updated_at: '2026-01-01',
    secret_version: 1,
    key_version: 1,
    position: 0,
    failure_count: 0,
    probe_count: 0,
    notice_count: 0,
  }),
  webhook_attempts: () => ({
    environment_id: environmentId,
    attempt_id: uuid(),
    endpoint_id: uuid(),
    event_id: uuid(),
    attempted_at: '2026-01-01',
    kind: 'first',
    attempt: 1,
    outcome: 'delivered',
    duration_ms: 1,
  }),
  webhook_deliveries: () => ({
    environment_id: environmentId,
    endpoint_id: uuid(),
    first_attempt_id: uuid(),
    kind: 'first',
    first_sequence: 1,
    last_sequence: 2,
    recorded_at: '2026-01-01',
    sequence_offsets: '{0,1}',
    statuses: '{204,204}',
    started_ms_ago: '{2,1}',
    durations_ms: '{1,1}',
  }),
  webhook_replays: () => ({
    environment_id: environmentId,
    replay_id: uuid(),
    endpoint_id: endpointId,
    from_sequence: 1,
    to_sequence: 9,
    types: '{}',
    selection: 'all',
    event_count: 9,
    position: 0,
    delivered_count: 0,
    skipped_count: 0,
    attempts: 0,
    skipped_in_row: 0,
    next_attempt_at: '2026-01-01',
    created_at: '2026-01-01',
  }),
  webhook_retries: () => ({
    environment_id: environmentId,
    endpoint_id: endpointId,
    event_id: uuid(),
    sequence: 1,
    transaction_id: transactionId,
    attempts: 1,
    outage_attempts: 1,
    next_attempt_at: '2026-01-01',
    created_at: '2026-01-01',
  }),
  sandbox_requests: () => ({
    environment_id: environmentId,
    received_at: '2026-01-01',
    entry_id: uuid(),
    request_id: 'r',
    method: 'GET',
    duration_ms: 1.5,
    api_key: 'cpk_test_x',
    details: {},
  }),
};

const completed = {
  status: 'completed',
  completed_at: '2026-01-02',
  completed_by_environment_id: 1,
  completed_by_api_key: 'k',
};

const tables = Object.keys(valid);

/** Nullable columns. All others are NOT NULL. */
const optional: Record<string, string[]> = {
  environments: ['requests_per_second', 'completions_per_second', 'retired_at', 'purged_at'],
  key_pairs: ['expires_at', 'issued_until', 'revoked_at', 'last_used_at'],
  bank_links: ['unlinked_at', 'voided_at'],
  event_queue: ['retry_at', 'problem'],
  users: ['user_hash', 'first_name', 'forgotten_at'],
  transactions: [
    ...['idempotency_key', 'completed_at', 'completed_by_environment_id', 'completed_by_api_key'],
    ...['bank_reference', 'value_date', 'corrected_at'],
  ],
  events: ['actor_environment_id', 'actor_api_key', 'actor_login'],
  corrections: ['bank_reference', 'value_date', 'actor_environment_id', 'actor_api_key', 'actor_login'],
  money_returns: ['undoes', 'code', 'value_date'],
  statement_uploads: [
    ...['sha256', 'byte_count', 'chunk_count', 'claim_id', 'claimed_until', 'next_attempt_at'],
    ...['reason', 'ended_at', 'format', 'version', 'statement_count', 'voided_at', 'void_reason'],
  ],
  statement_accounts: ['ending', 'name', 'remembered_answer'],
  bank_statements: [
    ...['bank_id', 'number', 'made_at', 'opening_cents', 'closing_cents'],
    ...['page_number', 'is_last_page', 'voided_at'],
  ],
  statement_lines: ['stated_cents', 'reference', 'problem', 'own_day', 'return_code', 'code', 'batch_cents'],
  account_days: [
    ...['opening_cents', 'closing_cents', 'question', 'claimed_until', 'failure'],
    ...['version', 'format', 'problem', 'change_cents', 'summary', 'chosen_in'],
  ],
  line_outcomes: [
    ...['replaced_by', 'entry_id', 'outcome', 'reason', 'reference', 'occurrence', 'term', 'content'],
    'decision_entry_id',
  ],
  contribution_money: ['accepted_at'],
  line_decisions: ['reference'],
  day_choices: ['version', 'gap'],
  comparing_progress: ['claimed_until'],
  version_changes: ['version_after'],
  supports: ['ended_at'],
  feeds: ['oldest_written_at'],
  feed_events: ['transaction_id'],
  webhook_endpoints: [
    ...['description', 'verified_at', 'disabled_at', 'disabled_reason', 'previous_key_version'],
    ...[
      'previous_secret_until',
      'secret_rotated_at',
      'delivered_at',
      'lease_id',
      'leased_until',
      'failing_since',
      'next_probe_at',
      'retries_checked_to',
      'frees_retries',
    ],
  ],
  sandbox_settlements: ['value_date', 'leased_until', 'done_at', 'outcome'],
  webhook_attempts: ['failure', 'status', 'response'],
  webhook_replays: ['lease_id', 'leased_until', 'ended_at', 'outcome'],
  sandbox_requests: ['path', 'operation', 'status', 'error_code', 'idempotency_key'],
};

/**
 * Tries to insert a row and rolls back.
 *
 * @returns the violated constraint or the empty column
 */
async function refusalOf(table: string, ...rows: Row[]): Promise<string> {
  const client = await admin.connect();
  try {
    await client.query('BEGIN');
    for (const row of rows) {
      const names = Object.keys(row);
      const places = names.map((_name, index) => `$${index + 1}`);
      await client.query(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`,
        Object.values(row),
      );
    }
    return 'accepted';
  } catch (error) {
    const { constraint, code, column, message } = error as Record<string, string | undefined>;
    return code === '23502' ? `${column ?? ''} is empty` : (constraint ?? message ?? '');
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const rowOf = (table: string, changes: Row = {}): Row => ({ ...valid[table]?.(), ...changes });

async function addEnvironment(tag: string, kind = 'test'): Promise<number> {
  const { rows } = await admin.query<{ environment_id: number }>(
    `WITH company AS (INSERT INTO companies (company_id, name) VALUES (gen_random_uuid(), $1) RETURNING company_id)
     INSERT INTO environments (company_id, kind, transaction_tag) SELECT company_id, $2, $1 FROM company
     RETURNING environment_id`,
    [tag, kind],
  );
  return rows[0]!.environment_id;
}

beforeAll(async () => {
  database = await createTestDatabase();
  admin = database.admin;
  environmentId = await addEnvironment('AAA0');
  otherId = await addEnvironment('BBB0');
  productionId = await addEnvironment('DDD0', 'production');
  const company = await admin.query<{ company_id: string }>(
    `INSERT INTO companies (company_id, name) VALUES (gen_random_uuid(), 'without environments') RETURNING company_id`,
  );
  companyId = company.rows[0]!.company_id;
  projectId = await addProject(admin);
  await admin.query('INSERT INTO feeds (environment_id) VALUES ($1)', [environmentId]);
  const user = await admin.query<{ user_id: string }>(
    `INSERT INTO users (environment_id, user_hash) VALUES ($1, 'hash') RETURNING user_id`,
    [environmentId],
  );
  userId = user.rows[0]!.user_id;
  const change = await admin.query<{ change_id: string }>(
    `INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters)
     VALUES ($1, $2, 1000, 1) RETURNING change_id`,
    [environmentId, projectId],
  );
  firstChange = change.rows[0]!.change_id;
  const insert = (table: string, values: Row) => {
    const names = Object.keys(values);
    return admin.query(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_name, index) => `$${index + 1}`).join(', ')})`,
      Object.values(values),
    );
  };
  const endpoint = rowOf('webhook_endpoints', { slot: 2, url: 'https://app.example.com/2' });
  endpointId = String(endpoint['endpoint_id']);
  await insert('webhook_endpoints', endpoint);
  const row = rowOf('transactions');
  for (const [table, given] of [
    ['statement_uploads', { upload_id: uploadId }],
    ['statement_accounts', { account_id: accountId, account_hmac: accountHmac }],
    ['account_days', { day: '2026-01-01' }],
    ['bank_statements', { statement_id: statementId }],
  ] as const) {
    const stored = rowOf(table, given);
    const columns = Object.keys(stored);
    await admin.query(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_name, index) => `$${index + 1}`).join(', ')})`,
      Object.values(stored),
    );
  }
  transactionId = String(row['transaction_id']);
  await insert('transactions', row);
});
afterAll(() => database.drop());

test.each(tables)('a valid row of %s is accepted', async (table) => {
  expect(await refusalOf(table, rowOf(table))).toBe('accepted');
});

test('every table that belongs to an environment is covered here', async () => {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attname = 'environment_id'
      ORDER BY relname`,
  );
  expect(rows.map(({ name }) => name)).toEqual([...tables].sort());
});

test.each(tables)('a row of %s requires every column except the nullable ones', async (table) => {
  const { rows: columns } = await admin.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = ''`,
    [table],
  );
  const required = columns.map(({ name }) => name).filter((name) => !optional[table]?.includes(name));
  expect(required.length).toBeGreaterThan(1);
  for (const name of required) {
    expect(await refusalOf(table, rowOf(table, { [name]: null }))).toBe(`${name} is empty`);
  }
});

test.each<[table: string, rule: string, changes: () => Row]>([
  ['environments', 'environments_company_fkey', () => ({ company_id: uuid() })],
  ['key_pairs', 'key_pairs_environment_fkey', () => ({ environment_id: nowhere })],
  ['users', 'users_environment_fkey', () => ({ environment_id: nowhere })],
  ['supports', 'supports_user_fkey', () => ({ user_id: nowhere })],
  ['supports', 'supports_user_fkey', () => ({ environment_id: otherId })],
  ['supports', 'supports_project_fkey', () => ({ project_id: nowhere })],
  ['story_views', 'story_views_user_fkey', () => ({ user_id: nowhere })],
  ['story_views', 'story_views_user_fkey', () => ({ environment_id: otherId })],
  ['story_views', 'story_views_project_fkey', () => ({ project_id: nowhere })],
  ['sandbox_faults', 'sandbox_faults_environment_fkey', () => ({ environment_id: nowhere })],
  ['sandbox_faults', 'sandbox_faults_environment_fkey', () => ({ environment_id: productionId })],
  ['sandbox_settings', 'sandbox_settings_environment_fkey', () => ({ environment_id: nowhere })],
  ['sandbox_settlements', 'sandbox_settlements_transaction_fkey', () => ({ environment_id: otherId })],
  ['sandbox_requests', 'sandbox_requests_environment_fkey', () => ({ environment_id: nowhere })],
  ['environment_events', 'environment_events_environment_fkey', () => ({ environment_id: nowhere })],
  ['environment_events', 'environment_events_type_known', () => ({ type: 'other' })],
  ['webhook_endpoints', 'webhook_endpoints_environment_fkey', () => ({ environment_id: nowhere })],
  ['webhook_endpoints', 'webhook_endpoints_environment_fkey', () => ({ environment_id: productionId })],
  ['webhook_retries', 'webhook_retries_endpoint_fkey', () => ({ environment_id: otherId })],
  ['webhook_retries', 'webhook_retries_attempts_range', () => ({ outage_attempts: 2 })],
  ['webhook_attempts', 'webhook_attempts_environment_fkey', () => ({ environment_id: nowhere })],
  ['webhook_attempts', 'webhook_attempts_kind_known', () => ({ kind: 'other' })],
  ['webhook_attempts', 'webhook_attempts_outcome_known', () => ({ outcome: 'other', failure: 'dns' })],
  ['webhook_attempts', 'webhook_attempts_failure_known', () => ({ failure: 'dns' })],
  ['webhook_deliveries', 'webhook_deliveries_environment_fkey', () => ({ environment_id: nowhere })],
  ['webhook_deliveries', 'webhook_deliveries_kind_known', () => ({ kind: 'retry' })],
  ['webhook_deliveries', 'webhook_deliveries_sequences_range', () => ({ last_sequence: 1001 })],
  ['webhook_deliveries', 'webhook_deliveries_same_length', () => ({ statuses: '{204}' })],
  ['webhook_deliveries', 'webhook_deliveries_same_length', () => ({ started_ms_ago: '{1}' })],
  ['webhook_deliveries', 'webhook_deliveries_same_length', () => ({ durations_ms: '{1}' })],
  ['webhook_replays', 'webhook_replays_endpoint_fkey', () => ({ environment_id: otherId })],
  ['webhook_replays', 'webhook_replays_selection_known', () => ({ selection: 'other' })],
  ['webhook_replays', 'webhook_replays_position_range', () => ({ position: 10 })],
  ['webhook_replays', 'webhook_replays_outcome_known', () => ({ ended_at: '2026-01-01', outcome: 'other' })],
  ['webhook_replays', 'webhook_replays_ended_has_outcome', () => ({ outcome: 'failed' })],
  ['webhook_endpoints', 'webhook_endpoints_slot_range', () => ({ slot: 11 })],
  ['webhook_endpoints', 'webhook_endpoints_disabled_has_reason', () => ({ disabled_at: '2026-01-01' })],
  ['webhook_endpoints', 'webhook_endpoints_failing_counted', () => ({ failure_count: 1 })],
  ['webhook_endpoints', 'webhook_endpoints_probe_failing', () => ({ next_probe_at: '2026-01-01' })],
  ['feeds', 'feeds_environment_fkey', () => ({ environment_id: nowhere })],
  ['feed_events', 'feed_events_feed_fkey', () => ({ environment_id: nowhere })],
  ['events', 'events_actor_fkey', () => ({ actor_environment_id: nowhere })],
  ['statement_uploads', 'statement_uploads_environment_fkey', () => ({ environment_id: nowhere })],
  ['statement_uploads', 'statement_uploads_state_known', () => ({ state: 'other' })],
  ['statement_uploads', 'statement_uploads_received_whole', () => ({ sha256: null })],
  ['statement_uploads', 'statement_uploads_claimed', () => ({ claim_id: uuid() })],
  ['statement_uploads', 'statement_uploads_ended', () => ({ ended_at: '2026-01-01' })],
  ['statement_uploads', 'statement_uploads_reason', () => ({ reason: 'wrong' })],
  ['statement_uploads', 'statement_uploads_read_whole', () => ({ state: 'read', ended_at: '2026-01-01' })],
  ['statement_uploads', 'statement_uploads_voided_whole', () => ({ void_reason: 'wrong' })],
  ['statement_uploads', 'statement_uploads_not_negative', () => ({ attempts: -1 })],
  ['statement_uploads', 'statement_uploads_chunks_range', () => ({ chunk_count: 0 })],
  ['statement_upload_chunks', 'statement_upload_chunks_upload_fkey', () => ({ upload_id: uuid() })],
  ['statement_upload_chunks', 'statement_upload_chunks_number_range', () => ({ number: -1 })],
  ['statement_accounts', 'statement_accounts_environment_fkey', () => ({ environment_id: nowhere })],
  ['settlement_lists', 'settlement_lists_environment_fkey', () => ({ environment_id: nowhere })],
  ['settlement_lines', 'settlement_lines_environment_fkey', () => ({ environment_id: nowhere })],
  ['bank_statements', 'bank_statements_account_fkey', () => ({ account_id: uuid() })],
  ['statement_days', 'statement_days_statement_fkey', () => ({ statement_id: uuid() })],
  ['statement_lines', 'statement_lines_account_fkey', () => ({ environment_id: otherId })],
  ['account_days', 'account_days_account_fkey', () => ({ environment_id: otherId })],
  ['line_allocations', 'line_allocations_day_fkey', () => ({ day: '2025-01-01' })],
  ['contribution_money', 'contribution_money_environment_fkey', () => ({ environment_id: nowhere })],
  ['line_exceptions', 'line_exceptions_day_fkey', () => ({ day: '2025-01-01' })],
  ['line_outcomes', 'line_outcomes_day_fkey', () => ({ day: '2025-01-01' })],
  ['line_references', 'line_references_account_fkey', () => ({ environment_id: otherId })],
  ['line_decisions', 'line_decisions_account_fkey', () => ({ environment_id: otherId })],
  ['day_choices', 'day_choices_day_fkey', () => ({ day: '2025-01-01' })],
  ['version_changes', 'version_changes_day_fkey', () => ({ day: '2025-01-01' })],
  ['comparing_progress', 'comparing_progress_environment_fkey', () => ({ environment_id: nowhere })],
  ['closed_months', 'closed_months_environment_fkey', () => ({ environment_id: nowhere })],
  ['month_changes', 'month_changes_environment_fkey', () => ({ environment_id: nowhere })],
  ['account_rules', 'account_rules_account_fkey', () => ({ environment_id: otherId })],
  ['account_numbers', 'account_numbers_account_fkey', () => ({ account_id: uuid() })],
  ['account_numbers', 'account_numbers_number_fkey', () => ({ account_hmac: Buffer.from('another') })],
  ['corrections', 'corrections_transaction_fkey', () => ({ environment_id: otherId })],
  ['corrections', 'corrections_completed_by_fkey', () => ({ completed_by_environment_id: nowhere })],
  [
    'corrections',
    'corrections_actor_fkey',
    () => ({ actor_environment_id: nowhere, actor_api_key: 'k', actor_login: null }),
  ],
  ['money_returns', 'money_returns_transaction_fkey', () => ({ environment_id: otherId })],
  ['money_returns', 'money_returns_recorded_by_fkey', () => ({ recorded_by_environment_id: nowhere })],
  ['money_returns', 'money_returns_undoes_fkey', () => ({ undoes: uuid(), kind: 'paid_again' })],
  [
    'transactions',
    'transactions_completed_by_fkey',
    () => ({
      status: 'completed',
      completed_at: '2026-01-02',
      completed_by_environment_id: nowhere,
      completed_by_api_key: 'k',
    }),
  ],
])('a row of %s must reference existing rows: %s', async (table, rule, changes) => {
  expect(await refusalOf(table, rowOf(table, changes()))).toBe(rule);
});

test.each<[table: string, rule: string, changes: Row]>([
  ['statement_accounts', 'statement_accounts_direction_known', { direction: 'both' }],
  ['statement_accounts', 'statement_accounts_ending_length', { ending: '12345' }],
  ['statement_accounts', 'statement_accounts_grace_range', { grace_days: 31 }],
  ['bank_statements', 'bank_statements_period_ordered', { last_day: '2025-12-31' }],
  ['bank_statements', 'bank_statements_period_ordered', { end_ms: 86_400_001 }],
  ['bank_statements', 'bank_statements_page_whole', { page_number: 1 }],
  ['statement_lines', 'statement_lines_bucket_range', { bucket: -1 }],
  ['statement_lines', 'statement_lines_direction_known', { direction: 'both' }],
  ['statement_lines', 'statement_lines_amount_not_negative', { charges_cents: -1 }],
  ['statement_lines', 'statement_lines_reference_length', { reference: 'r'.repeat(141) }],
  ['statement_lines', 'statement_lines_code_length', { code: 'c'.repeat(36) }],
  ['account_days', 'account_days_failures_not_negative', { generation: -1 }],
  ['account_days', 'account_days_failed_has_reason', { failures: 1 }],
  ['account_days', 'account_days_version_whole', { version: 'version' }],
  ['line_exceptions', 'line_exceptions_kind_known', { kind: 'wrong' }],
  ['line_outcomes', 'line_outcomes_bucket_range', { bucket: 1024 }],
  ['line_outcomes', 'line_outcomes_state_known', { state: 'open' }],
  ['line_outcomes', 'line_outcomes_replaced_by', { replaced_by: 'version' }],
  ['line_outcomes', 'line_outcomes_judged', { entry_id: null }],
  ['line_outcomes', 'line_outcomes_judged', { state: 'replaced', replaced_by: 'version' }],
  ['line_outcomes', 'line_outcomes_term_known', { term: 'other' }],
  ['line_outcomes', 'line_outcomes_no_sum_without_term', { term: null }],
  ['line_decisions', 'line_decisions_action_known', { action: 'forget' }],
  ['line_decisions', 'line_decisions_reason_length', { reason: '' }],
  ['day_choices', 'day_choices_kind_known', { kind: 'other', version: null }],
  ['day_choices', 'day_choices_version_given', { version: null }],
  ['day_choices', 'day_choices_gap_given', { gap: 'gap' }],
  ['day_choices', 'day_choices_reason_length', { reason: '' }],
  ['statement_accounts', 'statement_accounts_remembered_known', { remembered_answer: 'oldest' }],
  ['version_changes', 'version_changes_lines_differ', { lines_gone: 0 }],
  ['comparing_progress', 'comparing_progress_not_negative', { sequence: -1 }],
  ['closed_months', 'closed_months_first_day', { month: '2026-01-02' }],
  ['month_changes', 'month_changes_first_day', { month: '2026-01-02' }],
  ['month_changes', 'month_changes_kind_known', { kind: 'opened' }],
  ['month_changes', 'month_changes_reason_length', { reason: '' }],
  ['account_rules', 'account_rules_direction_known', { direction: 'both' }],
  ['account_rules', 'account_rules_code_length', { code: '' }],
  ['account_rules', 'account_rules_outcome_known', { outcome: 'matched' }],
  ['account_rules', 'account_rules_reason_length', { reason: '' }],
  ['account_numbers', 'account_numbers_reason_length', { reason: '' }],
  ['line_allocations', 'line_allocations_bucket_range', { bucket: 1024 }],
  ['line_allocations', 'line_allocations_kind_known', { kind: 'refund' }],
  ['line_allocations', 'line_allocations_amount_positive', { amount_cents: 0 }],
  ['line_allocations', 'line_allocations_confidence_known', { confidence: 'guessed' }],
  ['line_allocations', 'line_allocations_state_known', { state: 'withdrawn' }],
  ['line_allocations', 'line_allocations_repaired_never_confirmed', { confidence: 'repaired' }],
  ['contribution_money', 'contribution_money_not_negative', { other_gross_cents: 1001 }],
  ['settlement_lines', 'settlement_lines_amount_positive', { amount_cents: 0 }],
  ['settlement_lists', 'settlement_lists_reference_length', { reference: '' }],
  ['sandbox_faults', 'sandbox_faults_test_only', { environment_kind: 'production' }],
  ['sandbox_faults', 'sandbox_faults_times_range', { times: 101 }],
  ['sandbox_faults', 'sandbox_faults_times_left_range', { times_left: 2 }],
  ['sandbox_faults', 'sandbox_faults_delay_range', { delay_ms: 30_001 }],
  ['sandbox_settings', 'sandbox_settings_settle_after_range', { settle_after_seconds: -1 }],
  ['sandbox_settings', 'sandbox_settings_settle_after_range', { settle_after_seconds: 3_601 }],
  ['sandbox_settlements', 'sandbox_settlements_done_has_outcome', { outcome: 'completed' }],
  ['key_pairs', 'key_pairs_none_of_simulated_bank', { environment_id: -1 }],
  ['bank_links', 'bank_links_none_of_simulated_bank', { environment_id: -1 }],
  ['key_pairs', 'key_pairs_secret_hmac_length', { secret_hmac: Buffer.alloc(31) }],
  ['key_pairs', 'key_pairs_secret_hmac_length', { secret_hmac: Buffer.alloc(33) }],
  ['key_pairs', 'key_pairs_pepper_version_positive', { pepper_version: 0 }],
  ['bank_links', 'bank_links_voided_after_unlinked', { voided_at: '2026-05-31' }],
  ['bank_links', 'bank_links_voided_after_unlinked', { unlinked_at: null, voided_at: '2026-07-01' }],
  [
    'bank_links',
    'bank_links_none_voided_of_simulated_bank',
    { bank_environment_id: -1, voided_at: '2026-07-01' },
  ],
  ['bank_links', 'bank_links_unlinked_after_linked', { linked_at: '2026-01-02', unlinked_at: '2026-01-01' }],
  ['users', 'users_first_name_length', { first_name: '' }],
  ['users', 'users_first_name_length', { first_name: 'n'.repeat(101) }],
  [
    'transactions',
    'transactions_completed_after_created',
    {
      status: 'completed',
      created_at: '2026-01-02',
      completed_at: '2026-01-01',
      completed_by_environment_id: 1,
      completed_by_api_key: 'k',
    },
  ],
  [
    'supports',
    'supports_last_not_before_first',
    { first_supported_at: '2026-01-02', last_supported_at: '2026-01-01' },
  ],
  ['events', 'events_evidence_is_object', { evidence: '[]' }],
  [
    'supports',
    'supports_ended_not_before_first',
    { first_supported_at: '2026-01-02', last_supported_at: '2026-01-02', ended_at: '2026-01-01' },
  ],
  ['transactions', 'transactions_returned_within_amount', { ...completed, returned_cents: 1001 }],
  ['transactions', 'transactions_returned_within_amount', { ...completed, returned_cents: -1 }],
  ['transactions', 'transactions_returned_only_when_completed', { returned_cents: 1 }],
  ['transactions', 'transactions_corrected_without_returns', { corrected_at: '2026-01-03' }],
  [
    'transactions',
    'transactions_corrected_without_returns',
    { ...completed, corrected_at: '2026-01-03', returned_cents: 1 },
  ],
  ['corrections', 'corrections_one_actor', { actor_login: null }],
  ['corrections', 'corrections_one_actor', { actor_environment_id: 1, actor_api_key: 'k' }],
  ['corrections', 'corrections_one_actor', { actor_login: null, actor_api_key: 'k' }],
  ['corrections', 'corrections_reason_length', { reason: '' }],
  ['corrections', 'corrections_reason_length', { reason: 'x'.repeat(501) }],
  ['events', 'events_one_actor', { actor_login: 'an-operator' }],
  ['events', 'events_one_actor', { actor_environment_id: null, actor_api_key: null }],
  ['money_returns', 'money_returns_amount_bounds', { amount_cents: 0 }],
  ['money_returns', 'money_returns_amount_bounds', { amount_cents: 100_000_000_001 }],
  ['money_returns', 'money_returns_kind_known', { kind: 'loss' }],
  ['money_returns', 'money_returns_kind_known', { kind: 'paid_again' }],
  ['money_returns', 'money_returns_code_length', { code: '' }],
  ['money_returns', 'money_returns_code_length', { code: 'x'.repeat(36) }],
  ['money_returns', 'money_returns_bank_reference_length', { bank_reference: '' }],
  ['money_returns', 'money_returns_bank_reference_length', { bank_reference: 'x'.repeat(141) }],
])('a row of %s must be within its bounds: %s', async (table, rule, changes) => {
  expect(await refusalOf(table, rowOf(table, changes))).toBe(rule);
});

test.each<[table: string, rule: string, others: Row]>([
  ['key_pairs', 'key_pairs_pkey', { slot: 2 }],
  ['bank_links', 'bank_links_pkey', { unlinked_at: '2026-07-01' }],
  ['supports', 'supports_pkey', { last_supported_at: '2026-02-01' }],
  ['story_views', 'story_views_pkey', { viewed_story_numbers: '{[2,3)}' }],
  ['events', 'events_pkey', { recorded_at: '2026-02-01' }],
  ['money_returns', 'money_returns_pkey', { bank_reference: 'another' }],
  ['money_returns', 'money_returns_reference_once', { return_id: '019a0000-0000-7000-8000-999999999999' }],
  ['corrections', 'corrections_pkey', { reason: 'another' }],
])('a row of %s must be unique: %s', async (table, rule, others) => {
  const row = rowOf(table);
  expect(await refusalOf(table, row, { ...row, ...others })).toBe(rule);
});

test.each([
  [
    'users',
    'users_pkey',
    'environment_id, user_id, user_hash',
    () => [environmentId, userId, 'another-hash'],
  ],
  [
    'environments',
    'environments_pkey',
    'environment_id, company_id, kind, transaction_tag',
    () => [environmentId, companyId, 'test', 'CCC0'],
  ],
  [
    'project_figure_changes',
    'project_figure_changes_pkey',
    'environment_id, change_id, project_id, amount_cents, supporters',
    () => [environmentId, firstChange, projectId, 1000, 1],
  ],
])('a number of %s is unique, even when set by hand: %s', async (table, rule, columns, values) => {
  const given = values();
  const insertion = admin.query(
    `INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE VALUES (${given.map((_value, index) => `$${index + 1}`).join(', ')})`,
    given,
  );
  await expect(insertion).rejects.toMatchObject({ constraint: rule });
});
