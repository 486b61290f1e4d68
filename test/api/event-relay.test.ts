import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { composeTransactionId } from '../../src/shared/transaction-id';
import { addProject } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { relayAll } from '../support/feed';
import { isFullRun, longTest } from '../support/full-run';
import { operate } from '../support/operations';
import { countAll } from '../support/totals';
import { until } from '../support/until';
import { verificationOf } from '../support/verification';
import { withoutTriggers } from '../support/without-triggers';

/**
 * The relay under many writers that commit late or roll back, while its connection is killed again
 * and again, at any statement. The full run writes more and kills more often.
 */
const writers = 32;
const roundsPerWriter = isFullRun ? 60 : 4;
const kills = isFullRun ? 300 : 12;

interface Environment {
  environment_id: number;
  transaction_tag: string;
  caller_id: number;
}

let database: TestDatabase;
let projectId: number;
/** `caller_id` completes the contributions of the environment: its bank, if it has one. */
let environments: Environment[];

beforeAll(async () => {
  database = await createTestDatabase();
  projectId = await addProject(database.admin);
  await operate(database, async ({ companies }) => {
    for (const name of ['One', 'Two', 'Three', 'Bank']) await companies.create(name);
  });
  await operate(database, async ({ companies }) => {
    for (const name of ['One', 'Two']) await companies.linkBank('test', name, 'Bank');
  });
  const { rows } = await database.admin.query<Environment>(
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
  const client = new Client(sessionConfig({ connectionString: database.url }));
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

async function violationsOfFeeds(): Promise<unknown[]> {
  const report = await verificationOf(database.operatorUrl);
  const feedChecks = report.checks.filter(({ check }) => /feed/.test(check));
  expect(feedChecks).toHaveLength(6);
  return feedChecks.flatMap(({ violations }) => violations);
}

test('with 32 writers and relays that are killed, each event is in the feed once, without gaps, and after the created event', async () => {
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
    await database.admin.query('SELECT pg_terminate_backend($1::integer)', [pids.get(killed % 2) ?? 0]);
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
       LEFT JOIN feed_events f ON f.environment_id = e.environment_id AND f.event_id = e.event_id
      WHERE f.event_id IS NULL
     UNION ALL
     SELECT e.event_id FROM events e
      WHERE e.environment_id IN (SELECT l.environment_id FROM bank_links l)
        AND e.event_id NOT IN (
          SELECT f.event_id FROM feed_events f WHERE f.environment_id <> f.owner_environment_id)`,
  );
  expect(missing).toEqual([]);
  expect(await violationsOfFeeds()).toEqual([]);
}, 300_000);

/** Creates and completes a contribution, records a partial return, and undoes it. */
async function writeAllKinds({
  environment_id: owner,
  transaction_tag: tag,
  caller_id: caller,
}: Environment) {
  const id = nextId(tag);
  const returnId = randomUUID();
  const run = (text: string, ...values: unknown[]) => database.admin.query(text, values);
  await run(
    'SELECT create_contribution($1, $2, $3, 100, $4, NULL, NULL, $5, $6)',
    ...[owner, id, projectId, 'user', 'k', randomUUID()],
  );
  const complete = 'SELECT complete_contribution_of($1, $5, $2, $3, 100, NULL, NULL, $4)';
  await run(complete, owner, 'k', id, randomUUID(), caller);
  const record = `SELECT record_return_of($1, $2, 'k', $3, $4, $5, $6, NULL, 10, $7, NULL, $8)`;
  await run(record, owner, caller, id, returnId, null, 'return', randomUUID(), randomUUID());
  await run(record, owner, caller, id, randomUUID(), returnId, 'paid_again', randomUUID(), randomUUID());
  return id;
}

const inOrder = ['created', 'completed', 'returned', 'return_undone'].map((type) => `contribution.${type}`);

async function typesInFeed(environmentId: number, transactionId: string): Promise<string[]> {
  const { rows } = await database.admin.query<{ type: string }>(
    'SELECT type FROM feed_events WHERE environment_id = $1 AND transaction_id = $2 ORDER BY sequence',
    [environmentId, transactionId],
  );
  return rows.map(({ type }) => type);
}

test('a contribution keeps the order of cause and effect, even if clocks went back', async () => {
  const environment = environments[0]!;
  const id = await writeAllKinds(environment);
  // Each event has a time before that of its cause.
  const steps = `interval '1 minute' * array_position('{${[...inOrder].reverse().join(',')}}'::text[], e.type)`;
  await withoutTriggers(database.admin, [
    `UPDATE events e SET recorded_at = (e.recorded_at AT TIME ZONE 'UTC' + ${steps}) AT TIME ZONE 'UTC'
      WHERE e.environment_id = ${environment.environment_id} AND e.transaction_id = '${id}'`,
    `UPDATE event_queue q SET queued_at = e.recorded_at FROM events e
      WHERE e.environment_id = q.environment_id AND e.event_id = q.event_id
        AND q.environment_id = ${environment.environment_id} AND e.transaction_id = '${id}'`,
  ]);
  // The queue's order is by time, and this batch can hold one event.
  await database.admin.query('SELECT relay_events(1)');
  expect(await typesInFeed(environment.environment_id, id)).toEqual(inOrder);
  expect(await typesInFeed(environment.caller_id, id)).toEqual(inOrder);
});

test('no event is relayed while a link that it belongs to is not committed', async () => {
  const [, , alone] = environments;
  const bank = environments[0]!.caller_id;
  let isRelayed: boolean | undefined;
  let id = '';
  await operate(database, async ({ companies }) => {
    await companies.linkBank('test', 'Three', 'Bank');
    id = nextId(alone!.transaction_tag);
    await database.admin.query(`SELECT create_contribution($1, $2, $3, 100, 'user', NULL, NULL, 'k', $4)`, [
      alone!.environment_id,
      id,
      projectId,
      randomUUID(),
    ]);
    await database.admin.query('SELECT relay_events(1000)');
    isRelayed = (await typesInFeed(alone!.environment_id, id)).length > 0;
  });
  expect(isRelayed).toBe(false);
  await relayAll(database.admin);
  expect(await typesInFeed(alone!.environment_id, id)).toEqual(['contribution.created']);
  expect(await typesInFeed(bank, id)).toEqual(['contribution.created']);
});

describe('killed at every statement', () => {
  const functions = [
    'relay_events',
    'relay_events_of',
    'take_queued_events',
    'append_to_feed',
    'expire_feed_events',
  ];

  /** Lets the functions call `at_statement` before each of their statements. */
  async function instrument(): Promise<void> {
    await database.admin.query(`
      CREATE FUNCTION at_statement() RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM set_config('test.count', (COALESCE(NULLIF(current_setting('test.count', true), ''), '0')::integer + 1)::text, true);
        IF current_setting('test.count') = current_setting('test.kill_at', true) THEN
          PERFORM pg_terminate_backend(pg_backend_pid());
          PERFORM pg_sleep(10);
        END IF;
      END $$`);
    for (const name of functions) {
      const { rows } = await database.admin.query<{ definition: string }>(
        `SELECT pg_get_functiondef('${name}'::regproc) AS definition`,
      );
      const [head, ...body] = rows[0]!.definition.split(
        /(?<=(?:\bBEGIN|;|\bTHEN|\bLOOP)\n)(?= +(?! |--|END|_\w+ \w))/,
      );
      await database.admin.query([head, ...body].join('PERFORM at_statement();\n'));
    }
  }

  /** Everything that the relay changes. */
  async function state(): Promise<unknown> {
    const { rows } = await database.admin.query(
      `SELECT (SELECT jsonb_agg(to_jsonb(f) ORDER BY f.environment_id) FROM feeds f) AS feeds,
              (SELECT jsonb_agg(q.event_id ORDER BY q.event_id) FROM event_queue q) AS queue,
              (SELECT jsonb_agg(ARRAY[e.environment_id, e.sequence]::text || e.event_id
                        ORDER BY e.environment_id, e.sequence) FROM feed_events e) AS events`,
    );
    return rows[0];
  }

  /** Kills the call at each of its statements, until it ends. Returns the number of kills. */
  async function killAtEach(call: string): Promise<number> {
    const before = await state();
    for (let killed = 0; ; killed += 1) {
      const client = await connect();
      const died = await client.query(`BEGIN; SET LOCAL test.kill_at = ${killed + 1}; ${call}; COMMIT`).then(
        () => false,
        () => true,
      );
      await client.end().catch(() => undefined);
      if (!died) return killed;
      expect(await state()).toEqual(before);
    }
  }

  longTest('a run of the relay commits entirely or not at all', async () => {
    await relayAll(database.admin);
    await instrument();
    for (const environment of environments) await writeAllKinds(environment);
    expect(await killAtEach('SELECT relay_events(4)')).toBeGreaterThan(15);
    expect(await killAtEach(`SELECT relay_events(4, ${environments[1]!.environment_id})`)).toBeGreaterThan(9);
    await countAll(database.admin);
    expect(await violationsOfFeeds()).toEqual([]);
    await database.admin.query(`
      UPDATE feed_events f SET written_at = f.written_at - interval '181 days' WHERE f.sequence <= 2;
      UPDATE feeds f SET oldest_written_at = f.oldest_written_at - interval '181 days'`);
    expect(await killAtEach('SELECT expire_feed_events(1)')).toBeGreaterThan(5);
  });
});
