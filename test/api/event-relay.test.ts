import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

import { composeTransactionId } from '../../src/shared/transaction-id';
import { addProject } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { relayAll } from '../support/feed';
import { isFullRun } from '../support/full-run';
import { operate } from '../support/operations';
import { until } from '../support/until';
import { verificationOf } from '../support/verification';

/**
 * The relay under many writers that commit late or roll back, while its connection is killed again
 * and again, at any statement. The full run writes more and kills more often.
 */
const writers = 32;
const roundsPerWriter = isFullRun ? 60 : 8;
const kills = isFullRun ? 300 : 25;

let database: TestDatabase;
let projectId: number;
/** `caller_id` completes the contributions of the environment: its bank, if it has one. */
let environments: { environment_id: number; transaction_tag: string; caller_id: number }[];

beforeAll(async () => {
  database = await createTestDatabase();
  projectId = await addProject(database.admin);
  await operate(database, async ({ companies }) => {
    for (const name of ['One', 'Two', 'Three', 'Bank']) await companies.create(name);
    for (const name of ['One', 'Two']) await companies.linkBank('test', name, 'Bank');
  });
  const { rows } = await database.admin.query<(typeof environments)[number]>(
    `SELECT e.environment_id, e.transaction_tag, COALESCE(l.bank_environment_id, e.environment_id) AS caller_id
       FROM environments e JOIN companies c USING (company_id) LEFT JOIN bank_links l USING (environment_id)
      WHERE e.kind = 'test' AND c.name IN ('One', 'Two', 'Three') ORDER BY c.name`,
  );
  environments = rows;
});
afterAll(() => database.drop());

let idCount = 0;

/** Random ids of the same second would collide. */
function nextId(tag: string): string {
  for (;;) {
    const id = composeTransactionId(tag, new Date(0), (idCount += 1));
    if (id !== undefined) return id;
  }
}

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Creates and completes in separate transactions, with pauses before the commit. */
async function write(client: Client): Promise<void> {
  const pause = () => sleep(randomInt(8));
  for (let round = 0; round < roundsPerWriter; round += 1) {
    const { environment_id: owner, transaction_tag: tag, caller_id: caller } = environments[randomInt(3)]!;
    const id = nextId(tag);
    const end = (): string => (randomInt(4) === 0 ? 'ROLLBACK' : 'COMMIT');
    await client.query('BEGIN');
    await client.query('SELECT create_contribution($1, $2, $3, 100, $4, NULL, NULL, $5, $6)', [
      ...[owner, id, projectId, `user-${randomInt(1_000_000_000)}`, 'k', randomUUID()],
    ]);
    await pause();
    const created = end();
    await client.query(created);
    if (created === 'ROLLBACK') continue;
    await client.query('BEGIN');
    await client.query('SELECT complete_contribution_of($1, $5, $2, $3, 100, NULL, NULL, $4)', [
      ...[owner, 'k', id, randomUUID(), caller],
    ]);
    await pause();
    await client.query(end());
  }
}

/** Relays until told to stop, with a new connection after each kill. */
async function relayUntil(isOver: () => boolean, onConnected: (pid: number) => void): Promise<number> {
  let deaths = 0;
  while (!isOver()) {
    const client = await connect();
    try {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      onConnected(rows[0]!.pid);
      while (!isOver()) await client.query('SELECT relay_events($1)', [1 + randomInt(40)]);
    } catch {
      deaths += 1;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  return deaths;
}

test('32 writers, and relays that are killed: no gap, nothing missing, nothing doubled, and created first', async () => {
  const clients = await Promise.all(Array.from({ length: writers }, connect));
  let isOver = false;
  const pids = new Map<number, number>();
  const relays = [0, 1].map((number) =>
    relayUntil(
      () => isOver,
      (pid) => pids.set(number, pid),
    ),
  );
  let killed = 0;
  const writing = Promise.all(clients.map(write));
  for (; killed < kills; killed += 1) {
    await sleep(randomInt(30));
    await database.admin.query('SELECT pg_terminate_backend($1)', [pids.get(killed % 2) ?? 0]);
  }
  await writing;
  isOver = true;
  const deaths = (await Promise.all(relays)).reduce((sum, count) => sum + count, 0);
  expect(deaths).toBeGreaterThan(0);
  await Promise.all(clients.map((client) => client.end()));
  await until('no killed relay has the turn', async () => {
    await relayAll(database.admin);
    const { rows } = await database.admin.query('SELECT 1 FROM event_queue');
    return rows.length === 0;
  });

  const { rows: feeds } = await database.admin.query<{ gaps: string; doubled: string; early: string }>(
    `SELECT (SELECT count(*) FROM feeds f WHERE (f.first_sequence, f.last_sequence) IS DISTINCT FROM
              (SELECT (min(e.sequence), max(e.sequence)) FROM feed_events e WHERE e.environment_id = f.environment_id)
             OR f.last_sequence <> (SELECT count(*) FROM feed_events e WHERE e.environment_id = f.environment_id)) AS gaps,
            (SELECT count(*) FROM (SELECT FROM feed_events GROUP BY environment_id, event_id HAVING count(*) > 1) d) AS doubled,
            (SELECT count(*) FROM feed_events a JOIN feed_events b USING (environment_id, transaction_id)
              WHERE a.type = 'contribution.completed' AND b.type = 'contribution.created' AND a.sequence < b.sequence) AS early`,
  );
  expect(feeds[0]).toEqual({ gaps: '0', doubled: '0', early: '0' });
  const { rows: missing } = await database.admin.query(
    `SELECT e.event_id FROM events e
      WHERE NOT EXISTS (SELECT FROM feed_events f WHERE f.environment_id = e.environment_id AND f.event_id = e.event_id)
         OR (e.environment_id IN (SELECT l.environment_id FROM bank_links l) AND NOT EXISTS (
              SELECT FROM feed_events f WHERE f.environment_id <> e.environment_id AND f.event_id = e.event_id))`,
  );
  expect(missing).toEqual([]);
  const report = await verificationOf(database.operatorUrl);
  const feedChecks = report.checks.filter(({ check }) => /feed/.test(check));
  expect(feedChecks).toHaveLength(3);
  expect(feedChecks.flatMap(({ violations }) => violations)).toEqual([]);
}, 300_000);

test('a created event that is queued goes first, even if a clock made it later', async () => {
  const { environment_id: owner, transaction_tag: tag, caller_id: caller } = environments[0]!;
  const id = nextId(tag);
  const client = await connect();
  await client.query('SELECT create_contribution($1, $2, $3, 100, $4, NULL, NULL, $5, $6)', [
    ...[owner, id, projectId, 'user', 'k', randomUUID()],
  ]);
  await client.query('SELECT complete_contribution_of($1, $5, $2, $3, 100, NULL, NULL, $4)', [
    ...[owner, 'k', id, randomUUID(), caller],
  ]);
  await client.end();
  // The queue's order is by time, and this batch has room for one event.
  await database.admin.query(
    `UPDATE event_queue q SET queued_at = q.queued_at + interval '1 minute' FROM events e
      WHERE e.event_id = q.event_id AND e.transaction_id = $1 AND e.type = 'contribution.created'`,
    [id],
  );
  await database.admin.query('SELECT relay_events(1)');
  const { rows } = await database.admin.query<{ type: string }>(
    'SELECT type FROM feed_events WHERE environment_id = $1 AND transaction_id = $2 ORDER BY sequence',
    [owner, id],
  );
  expect(rows.map(({ type }) => type)).toEqual(['contribution.created', 'contribution.completed']);
});
