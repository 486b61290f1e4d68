import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { addProject } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { relayAll } from '../support/feed';
import { longTest } from '../support/full-run';
import { addManyContributions } from '../support/many-contributions';
import { operate } from '../support/operations';

/** The totals: how counting affects the relay, and how it reads environments with many rows. */
let database: TestDatabase;
let projectId: number;
let environments: { environment_id: number; transaction_tag: string }[];

beforeAll(async () => {
  database = await createTestDatabase();
  projectId = await addProject(database.admin);
  await operate(database, async ({ companies }) => {
    for (const name of ['Large', 'New']) await companies.create(name);
  });
  ({ rows: environments } = await database.admin.query(
    `SELECT e.environment_id, e.transaction_tag FROM environments e JOIN companies c USING (company_id)
      WHERE e.kind = 'test' ORDER BY c.name`,
  ));
});
afterAll(() => database.drop());

/** Adds contributions of one user, with their events. */
async function addContributions(place: number, count: number): Promise<void> {
  const { environment_id: environmentId, transaction_tag: tag } = environments[place]!;
  await addManyContributions(database.admin, { environmentId, tag, projectId }, count);
}

async function inTransaction<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(sessionConfig({ connectionString: database.adminUrl }));
  await client.connect();
  try {
    await client.query('BEGIN');
    return await work(client);
  } finally {
    await client.end();
  }
}

test('while contributions are counted, the relay runs and no other process counts', async () => {
  await addContributions(0, 3);
  await relayAll(database.admin);
  await addContributions(0, 2);
  await inTransaction(async (client) => {
    const count = 'SELECT event_count FROM count_contributions(100, now())';
    expect((await client.query(count)).rows).toEqual([{ event_count: 3 }]);
    const { rows } = await database.admin.query('SELECT has_turn, event_count FROM relay_events(100)');
    expect(rows).toEqual([{ has_turn: true, event_count: 2 }]);
    expect((await database.admin.query(count)).rows).toEqual([{ event_count: 0 }]);
  });
});

test('complete_until stays before an event that waits for the relay', async () => {
  await addContributions(0, 1);
  const anHourAgo = new Date(Date.now() - 3_600_000);
  await database.admin.query('UPDATE event_queue SET queued_at = $1', [anHourAgo]);
  await database.admin.query('SELECT FROM count_contributions(1000, now())');
  const { rows } = await database.admin.query<{ minutes: number }>(
    `SELECT extract(epoch FROM now() - complete_until) / 60 AS minutes FROM contribution_totals_turn`,
  );
  expect(Number(rows[0]?.minutes)).toBeGreaterThan(60);
});

/** Rows that statements have fetched through indexes, in all committed transactions. */
async function fetched(client: Client): Promise<number> {
  await client.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await client.query<{ sum: string }>(
    `SELECT sum(idx_tup_fetch) AS sum FROM pg_stat_user_tables WHERE relname IN ('transactions', 'events', 'feed_events')`,
  );
  return Number(rows[0]?.sum);
}

longTest(
  'counting reads a constant number of rows per event of an environment without statistics',
  async () => {
    const tables = ['users', 'transactions', 'events', 'feed_events'];
    for (const table of tables)
      await database.admin.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    await addContributions(0, 2_000);
    await relayAll(database.admin);
    await database.admin.query(`ANALYZE ${tables.join(', ')}`);
    await addContributions(1, 300);
    await relayAll(database.admin);
    const client = new Client(sessionConfig({ connectionString: database.adminUrl }));
    await client.connect();
    try {
      const before = await fetched(client);
      const { rows } = await client.query('SELECT event_count FROM count_contributions(1000, NULL, $1)', [
        environments[1]!.environment_id,
      ]);
      expect(rows).toEqual([{ event_count: 300 }]);
      // Each event is read twice in its feed, twice by itself, and once with its contribution.
      expect((await fetched(client)) - before).toBeLessThan(300 * 10);
    } finally {
      await client.end();
    }
  },
);
