import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { addContributions, type StoredContributions } from '../support/function-calls';

/** Triggers of the schema for returns on a single server. They are a second line of defense. */
let database: TestDatabase;
let client: Client;
let stored: StoredContributions;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client(sessionConfig({ connectionString: database.adminUrl }));
  await client.connect();
  stored = await addContributions(client);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** The constraint that the statement violates. */
async function refusalOf(sql: string): Promise<string> {
  await client.query('BEGIN');
  try {
    const { rowCount } = await client.query(sql);
    return rowCount === 0 ? 'no row' : 'accepted';
  } catch (error) {
    return (error as { constraint?: string }).constraint ?? String(error);
  } finally {
    await client.query('ROLLBACK');
  }
}

test.each([
  'UPDATE money_returns SET amount_cents = 1',
  'UPDATE money_returns SET bank_reference = bank_reference',
  'DELETE FROM money_returns',
  'TRUNCATE money_returns CASCADE',
])('a return is never changed or removed: %s', async (sql) => {
  expect(await refusalOf(sql)).toBe('money_returns_append_only');
});

test.each([
  ['completed', 'returned_cents = 401', 'accepted'],
  ['completed', 'returned_cents = 0', 'accepted'],
  ['completed', 'returned_cents = 401, bank_reference = $$another$$', 'transactions_otherwise_unchanged'],
  ['completed', 'returned_cents = 401, amount_cents = 2000', 'transactions_otherwise_unchanged'],
  ['completed', 'returned_cents = 401, status = $$pending$$', 'transactions_otherwise_unchanged'],
  ['completed', 'returned_cents = returned_cents', 'transactions_only_completed'],
  ['completed', 'returned_cents = 0, corrected_at = now()', 'transactions_otherwise_unchanged'],
  ['completed', 'corrected_at = now()', 'transactions_corrected_without_returns'],
  ['completed', 'corrected_at = now(), bank_reference = $$another$$', 'transactions_otherwise_unchanged'],
  ['completed', 'completion = 2', 'transactions_only_completed'],
  ['completed', 'returned_cents = 1001', 'transactions_returned_within_amount'],
  ['pending', 'returned_cents = 1', 'transactions_only_completed'],
  [
    'pending',
    `returned_cents = 1, status = 'completed', completed_at = now(), completed_by_api_key = 'k',
     completed_by_environment_id = environment_id`,
    'transactions_otherwise_unchanged',
  ],
])('a %s transaction with %s: %s', async (status, set, outcome) => {
  const row = `(SELECT min(transaction_id) FROM transactions
    WHERE environment_id = ${stored.environmentId} AND status = '${status}'
      AND (returned_cents > 0) = ('${status}' = 'completed'))`;
  expect(
    await refusalOf(
      `UPDATE transactions SET ${set} WHERE environment_id = ${stored.environmentId} AND transaction_id = ${row}`,
    ),
  ).toBe(outcome);
});

test('bank references are compared byte by byte, so a new version of a collation breaks no index', async () => {
  const { rows } = await client.query<{ collation: string }>(
    `SELECT DISTINCT c.collname AS collation
       FROM pg_index i
      CROSS JOIN unnest(i.indcollation::oid[]) AS used (oid)
       JOIN pg_collation c ON c.oid = used.oid
      WHERE i.indexrelid = 'money_returns_reference_once'::regclass`,
  );
  expect(rows).toEqual([{ collation: 'C' }]);
});

test('a return that cannot see what another return of the user committed fails, and changes nothing', async () => {
  const { environmentId, apiKey } = stored;
  const [supported, completed] = ['HZZ100000000002', 'HZZ100000000003'];
  const returnCent = (by: Client, id: string, reference: string) =>
    by.query<{ outcome: string }>(
      `SELECT outcome FROM record_return($1, $2, 'HZZ1', $3, gen_random_uuid(), NULL, 'return', NULL, 1, $4, NULL,
                                         gen_random_uuid())`,
      [environmentId, apiKey, id, reference],
    );
  await client.query(
    `SELECT FROM complete_contribution($1, $2, 'HZZ1', $3, NULL, NULL, NULL, gen_random_uuid())`,
    [environmentId, apiKey, supported],
  );
  const other = new Client(sessionConfig({ connectionString: database.adminUrl }));
  await other.connect();
  try {
    await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM supports');
    expect((await returnCent(client, completed, 'RT-3')).rows).toEqual([{ outcome: 'recorded' }]);
    await expect(returnCent(other, supported, 'RT-4')).rejects.toMatchObject({ code: '40001' });
  } finally {
    await other.end();
  }
  expect((await returnCent(client, supported, 'RT-4')).rows).toEqual([{ outcome: 'recorded' }]);
});
