import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { listQuery } from '../../../src/core/contributions/contributions-list.query';
import { createTestDatabase, type TestDatabase } from '../../support/database';

/** How Citus plans the statement that a bank's list runs for each of its companies. */
let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client(sessionConfig({ connectionString: database.url }));
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const now = '2026-11-26 12:00:00Z';
const range = {
  order: 'created',
  after: undefined,
  before: undefined,
  maxRows: 101,
  maxScanned: 2_000,
} as const;

test.each([
  ['first statements', undefined],
  ['statements after the page is full', 1_764_158_400_000_000],
])('the %s of a list of pending contributions are planned once per connection', async (name, until) => {
  const calls = 20;
  for (let environmentId = 1; environmentId <= calls; environmentId += 1) {
    const link = { environmentId, since: now, activeAt: now };
    const query = listQuery(0, { status: 'pending' }, { ...range, until }, link);
    await client.query({ name, ...query });
  }
  const { rows } = await client.query<{ generic: number }>(
    'SELECT generic_plans::integer AS generic FROM pg_prepared_statements WHERE name = $1',
    [name],
  );
  // PostgreSQL tries five plans of its own first.
  expect(rows).toEqual([{ generic: calls - 5 }]);
});
