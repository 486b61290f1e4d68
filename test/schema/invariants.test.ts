import type { Pool } from 'pg';

import { generateTransactionId } from '../../src/shared/transaction-id';
import { addProject } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';

/**
 * Constraints that the schema enforces for every program. Each violation is identified by its
 * constraint name.
 */
let database: TestDatabase;
let admin: Pool;
let environment: { test: number; production: number };
let other: { test: number; production: number };
let userId: string;
let projectId: number;
const tags: Record<number, string> = {};

async function addCompany(name: string, testTag: string, productionTag: string) {
  await admin.query(`INSERT INTO companies (company_id, name) VALUES (gen_random_uuid(), $1)`, [name]);
  const { rows } = await admin.query<{
    environment_id: number;
    kind: 'test' | 'production';
    transaction_tag: string;
  }>(
    `INSERT INTO environments (company_id, kind, transaction_tag)
     SELECT company_id, kind, tag FROM companies, (VALUES ('test', $2), ('production', $3)) AS e (kind, tag) WHERE name = $1
     RETURNING environment_id, kind, transaction_tag`,
    [name, testTag, productionTag],
  );
  for (const row of rows) tags[row.environment_id] = row.transaction_tag;
  const idOf = (kind: string): number => rows.find((row) => row.kind === kind)!.environment_id;
  return { test: idOf('test'), production: idOf('production') };
}

/** The name of the constraint that a statement violates. */
async function refusalOf(sql: string, values: unknown[] = []): Promise<string> {
  try {
    await admin.query(sql, values);
  } catch (error) {
    const { constraint, code, message } = error as { constraint?: string; code?: string; message: string };
    return constraint ?? `${code ?? ''} ${message}`;
  }
  return 'accepted';
}

const transaction = (overrides: Record<string, unknown> = {}) => ({
  environment_id: environment.test,
  transaction_id: generateTransactionId(tags[environment.test]!, new Date()),
  user_id: userId,
  project_id: projectId,
  amount_cents: 1000,
  currency: 'USD',
  status: 'pending',
  created_by_api_key: 'cpk_test_x',
  created_at: new Date().toISOString(),
  ...overrides,
});

function insert(table: string, row: Record<string, unknown>): Promise<string> {
  const names = Object.keys(row);
  const places = names.map((_name, index) => `$${index + 1}`);
  return refusalOf(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`,
    Object.values(row),
  );
}

async function insertedTransaction(overrides: Record<string, unknown> = {}): Promise<string> {
  const row = transaction(overrides);
  expect(await insert('transactions', row)).toBe('accepted');
  return row.transaction_id;
}

const completion = `status = 'completed', completed_at = now() + interval '1 hour', completed_by_environment_id = environment_id, completed_by_api_key = 'k'`;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = database.admin;
  environment = await addCompany('A', 'AAA0', 'AAA1');
  other = await addCompany('B', 'BBB0', 'BBB1');
  projectId = await addProject(admin);
  const { rows } = await admin.query<{ user_id: string }>(
    `INSERT INTO users (environment_id, user_hash) VALUES ($1, 'hash') RETURNING user_id`,
    [environment.test],
  );
  userId = rows[0]!.user_id;
});
afterAll(() => database.drop());

describe('transactions', () => {
  test.each([
    ['an amount of zero', { amount_cents: 0 }, 'transactions_amount_bounds'],
    ['a negative amount', { amount_cents: -1 }, 'transactions_amount_bounds'],
    ['more than a billion dollars', { amount_cents: '100000000001' }, 'transactions_amount_bounds'],
    ['another currency', { currency: 'EUR' }, 'transactions_currency_known'],
    ['another status', { status: 'refunded' }, 'transactions_status_known'],
    ['completed without a time', { status: 'completed' }, 'transactions_completed_has_time'],
    ['pending with a completion time', { completed_at: '2030-01-01' }, 'transactions_completed_has_actor'],
    ['evidence while pending', { bank_reference: 'x' }, 'transactions_evidence_only_when_completed'],
    ['an id of another form', { transaction_id: 'AAA0ILOU0000000' }, 'transactions_id_form'],
    ['an empty idempotency key', { idempotency_key: '' }, 'transactions_idempotency_key_form'],
    ['an unknown project', { project_id: 2_000_000_000 }, 'transactions_project_fkey'],
  ])('reject %s', async (_what, overrides, rule) => {
    expect(await insert('transactions', transaction(overrides))).toBe(rule);
  });

  test('reject a user of another environment', async () => {
    const foreign = { environment_id: other.test, transaction_id: generateTransactionId('BBB0', new Date()) };
    expect(await insert('transactions', transaction(foreign))).toBe('transactions_user_fkey');
  });

  test("reject an id with another environment's tag", async () => {
    const foreign = { transaction_id: generateTransactionId('BBB0', new Date()) };
    expect(await insert('transactions', transaction(foreign))).toBe('transactions_environment_fkey');
  });

  test('reject a duplicate id and a duplicate idempotency key', async () => {
    const transactionId = await insertedTransaction({ idempotency_key: 'key' });
    expect(await insert('transactions', transaction({ transaction_id: transactionId }))).toBe(
      'transactions_pkey',
    );
    expect(await insert('transactions', transaction({ idempotency_key: 'key' }))).toBe(
      'transactions_idempotency_key_key',
    );
  });

  test('change from pending to completed once, and never back', async () => {
    const transactionId = await insertedTransaction();
    const change = (set: string) =>
      refusalOf(`UPDATE transactions SET ${set} WHERE transaction_id = $1`, [transactionId]);
    expect(await change(`idempotency_key = 'later'`)).toBe('transactions_only_completed');
    expect(await change(completion)).toBe('accepted');
    expect(await change(completion)).toBe('transactions_only_completed');
    expect(await change(`status = 'pending', completed_at = NULL`)).toBe('transactions_only_completed');
    expect(await change(`bank_reference = 'another'`)).toBe('transactions_only_completed');
  });

  test('keep every other column when they are completed', async () => {
    const { rows } = await admin.query<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute
        WHERE attrelid = 'transactions'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
          AND attname NOT IN ('status', 'completed_at', 'completed_by_environment_id', 'completed_by_api_key', 'bank_reference', 'value_date')`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(9);
    for (const { name } of rows) {
      const transactionId = await insertedTransaction({ idempotency_key: `unchanged ${name}` });
      const { rows: types } = await admin.query<{ type: string }>(
        `SELECT pg_typeof(${name})::text AS type FROM transactions WHERE transaction_id = $1`,
        [transactionId],
      );
      const type = types[0]!.type;
      const changed =
        type === 'text'
          ? `${name} || 'x'`
          : type.startsWith('timestamp')
            ? `COALESCE(${name}, now()) - interval '1 s'`
            : `${name} + 1`;
      const refusal = await refusalOf(
        `UPDATE transactions SET ${completion}, ${name} = ${changed} WHERE transaction_id = $1`,
        [transactionId],
      );
      expect(`${name}: ${refusal}`).toBe(`${name}: transactions_otherwise_unchanged`);
    }
  });

  test('cannot be deleted', async () => {
    await insertedTransaction();
    expect(await refusalOf('DELETE FROM transactions')).toBe('transactions_never_removed');
    expect(await refusalOf('TRUNCATE transactions CASCADE')).toBe('transactions_never_removed');
  });
});

describe('events', () => {
  const event = async (overrides: Record<string, unknown> = {}) => ({
    environment_id: environment.test,
    event_id: '019a0000-0000-7000-8000-000000000001',
    transaction_id: await insertedTransaction(),
    type: 'contribution.created',
    actor_environment_id: environment.test,
    actor_api_key: 'k',
    ...overrides,
  });

  test('belong to a transaction of their environment', async () => {
    const nowhere = generateTransactionId('AAA0', new Date());
    expect(await insert('events', await event({ transaction_id: nowhere }))).toBe('events_transaction_fkey');
    expect(await insert('events', await event({ environment_id: other.test }))).toBe(
      'events_transaction_fkey',
    );
  });

  test('record one creation and one completion', async () => {
    const first = await event({ event_id: '019a0000-0000-7000-8000-000000000002' });
    expect(await insert('events', first)).toBe('accepted');
    const again = { ...first, event_id: '019a0000-0000-7000-8000-000000000003' };
    expect(await insert('events', again)).toBe('events_once_per_completion');
  });

  test('have a known type, and are never changed or deleted', async () => {
    expect(await insert('events', await event({ type: 'contribution.deleted' }))).toBe('events_type_known');
    const kept = await event({ event_id: '019a0000-0000-7000-8000-000000000004' });
    expect(await insert('events', kept)).toBe('accepted');
    expect(await refusalOf(`UPDATE events SET actor_api_key = 'x'`)).toBe('events_append_only');
    expect(await refusalOf('DELETE FROM events')).toBe('events_append_only');
    expect(await refusalOf('TRUNCATE events')).toBe('events_append_only');
  });
});

describe('links between a company and its bank', () => {
  const link = (environmentId: number, bankId: number, kind: string) =>
    insert('bank_links', { environment_id: environmentId, bank_environment_id: bankId, kind });

  test('connect environments of the same kind only', async () => {
    expect(await link(environment.test, other.production, 'test')).toBe('bank_links_bank_fkey');
    expect(await link(environment.test, other.production, 'production')).toBe('bank_links_environment_fkey');
    expect(await link(environment.test, environment.test, 'test')).toBe('bank_links_not_itself');
    expect(await link(environment.test, other.test, 'test')).toBe('accepted');
  });

  test('are unique', async () => {
    expect(await link(environment.production, other.production, 'production')).toBe('accepted');
    expect(await link(environment.production, other.production, 'production')).toBe('bank_links_linked_once');
  });
});

describe('users, key pairs and environments', () => {
  test('a user hash is unique in its environment, and its format is checked', async () => {
    const user = (userHash: string | null, more = {}) => ({
      environment_id: environment.test,
      user_hash: userHash,
      ...more,
    });
    expect(await insert('users', user('hash'))).toBe('users_user_hash_key');
    expect(await insert('users', user('with space'))).toBe('users_user_hash_form');
    expect(await insert('users', user('x'.repeat(1025)))).toBe('users_user_hash_form');
    expect(await insert('users', user(null))).toBe('users_emptied_when_forgotten');
    expect(await insert('users', user('kept', { forgotten_at: '2026-01-01' }))).toBe(
      'users_emptied_when_forgotten',
    );
  });

  test('scopes have one canonical spelling, so that at most two live key pairs exist per set', async () => {
    const pair = (scopes: string[], more = {}) => ({
      api_key: `k${Math.random()}`,
      environment_id: environment.test,
      secret_hmac: Buffer.alloc(32),
      pepper_version: 1,
      scopes,
      slot: 1,
      ...more,
    });
    expect(await insert('key_pairs', pair(['contributions:read', 'projects:read']))).toBe(
      'key_pairs_scopes_canonical',
    );
    expect(await insert('key_pairs', pair([]))).toBe('key_pairs_scopes_canonical');
    expect(await insert('key_pairs', pair(['everything']))).toBe('key_pairs_scopes_canonical');
    expect(await insert('key_pairs', pair(['projects:read'], { slot: 3 }))).toBe('key_pairs_slot_known');
    expect(await insert('key_pairs', pair(['projects:read']))).toBe('accepted');
    expect(await insert('key_pairs', pair(['projects:read']))).toBe('key_pairs_two_live_per_scope_set');
  });

  test('a tag belongs to one environment, and a company has one environment of each kind', async () => {
    const { rows } = await admin.query<{ company_id: string }>(
      `SELECT company_id FROM companies WHERE name = 'A'`,
    );
    const company = { company_id: rows[0]!.company_id };
    expect(await insert('environments', { ...company, kind: 'test', transaction_tag: 'CCC0' })).toBe(
      'environments_one_of_each_kind',
    );
    await admin.query(`INSERT INTO companies (company_id, name) VALUES (gen_random_uuid(), 'C')`);
    const fresh = await admin.query<{ company_id: string }>(
      `SELECT company_id FROM companies WHERE name = 'C'`,
    );
    const third = { company_id: fresh.rows[0]!.company_id };
    expect(await insert('environments', { ...third, kind: 'test', transaction_tag: 'AAA0' })).toBe(
      'environments_transaction_tag_key',
    );
    expect(await insert('environments', { ...third, kind: 'test', transaction_tag: '1AA0' })).toBe(
      'environments_transaction_tag_form',
    );
    expect(await insert('environments', { ...third, kind: 'staging', transaction_tag: 'CCC1' })).toBe(
      'environments_kind_known',
    );
  });

  test('only a test environment retires, and its company can then have another one with the tag', async () => {
    const { rows } = await admin.query<{ company_id: string }>(
      `SELECT company_id FROM companies WHERE name = 'C'`,
    );
    const row = { company_id: rows[0]!.company_id, transaction_tag: 'CCD0' };
    const retired = { retired_at: new Date() };
    expect(await insert('environments', { ...row, ...retired, kind: 'production' })).toBe(
      'environments_only_tests_retire',
    );
    const purged = { ...retired, purged_at: new Date() };
    expect(await insert('environments', { ...row, ...purged, kind: 'test' })).toBe(
      'environments_purged_after_seven_days',
    );
    for (const state of [retired, retired, {}])
      expect(await insert('environments', { ...row, ...state, kind: 'test' })).toBe('accepted');
    expect(await insert('environments', { ...row, kind: 'test' })).toMatch(/^environments_/);
  });
});
