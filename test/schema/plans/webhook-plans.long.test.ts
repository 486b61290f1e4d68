import { Client, type ClientBase } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import type { Query } from '../../../src/db/query';
import { type CourierStore, createCourierStore } from '../../../src/features/webhooks/courier/courier.store';
import type { ClaimedEndpoint } from '../../../src/features/webhooks/courier/delivery';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { type AnalyzedPlan, planRows, reportTime, rowsOfStep, sumOfSteps } from '../../support/plan-rows';

/**
 * The number of retries that the courier reads to find and to record its work. The receiver of one
 * endpoint rejects every second event. Half of its retries wait for a later attempt, and half wait
 * for the retry before them. Nothing is due at 1,000 other endpoints, which have 10 retries each.
 *
 * `PLAN_ROWS=400000` gives that endpoint more retries, and prints the time of each search.
 */
const waiting = planRows(50_000);
const endpoints = 1_000;
const retriesOfEach = 10;
const inBatch = 1_000;

const environmentId = 1;
const idOf = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const endpointId = idOf(1);
const leaseId = idOf(2);

let database: TestDatabase;
let connection: Client;

const emptyBatch = {
  ...{ position: 0, has_success: true, continues: true, disabled_reason: null, health: null },
  ...{ health_notices: [], exhausted_notices: [], ends_failures: false, ends_outage: false },
  ...{ attempts: [], postponed: [], rescheduled: [], removed: [], exhausted: [] },
};

async function record(batch: Record<string, unknown>): Promise<void> {
  const { rows } = await connection.query<{ continues: boolean | null }>(
    `SELECT settle_webhook_batch($1, $2, $3, $4::jsonb || jsonb_build_object('settings', w.updated_at::text)) AS continues
       FROM webhook_endpoints w WHERE w.environment_id = $1 AND w.endpoint_id = $2`,
    [environmentId, endpointId, leaseId, JSON.stringify({ ...emptyBatch, ...batch })],
  );
  expect(rows).toEqual([{ continues: true }]);
}

/** Records a batch in which every first event of a contribution fails. */
const recordFailures = (first: number): Promise<void> =>
  record({
    postponed: Array.from({ length: inBatch }, (_, at) => ({
      event_id: idOf(first + at),
      sequence: first + at,
      transaction_id: `AAA${Math.floor((first + at) / 2)}`,
      attempts: (first + at) % 2 === 0 ? 1 : 0,
      outage_attempts: 0,
      wait_seconds: (first + at) % 2 === 0 ? 86_400 : 0,
    })),
  });

beforeAll(
  async () => {
    database = await createTestDatabase();
    // As a superuser without foreign keys, because only reads are measured.
    await database.admin.query(`
      SET session_replication_role = replica;
      INSERT INTO feeds (environment_id, first_sequence, last_sequence)
      SELECT n, 1, 100000000 FROM generate_series(1, ${endpoints}) AS n;
      INSERT INTO webhook_endpoints (environment_id, endpoint_id, environment_kind, slot, url, types, created_at, updated_at,
             verified_at, secret_version, key_version, position, delivered_at, failure_count, probe_count, notice_count, lease_id)
      SELECT n, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'test', 1, 'https://app.example.com/', '{}',
             now(), now(), now(), 1, 1, 100000000, now(), 0, 0, 0, '${leaseId}'
        FROM generate_series(1, ${endpoints}) AS n;
      INSERT INTO webhook_retries (environment_id, endpoint_id, event_id, sequence, transaction_id, attempts,
             outage_attempts, next_attempt_at, created_at)
      SELECT n, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, gen_random_uuid(), m, 'AAA' || n || 'X' || m, 1, 0,
             now() + interval '1 day', now()
        FROM generate_series(2, ${endpoints}) AS n, generate_series(1, ${retriesOfEach}) AS m;
      SET session_replication_role = DEFAULT`);
    connection = new Client(sessionConfig({ connectionString: database.url }));
    await connection.connect();
    for (let first = inBatch; first < inBatch + waiting; first += inBatch) await recordFailures(first);
    await database.admin.query('UPDATE webhook_endpoints SET leased_until = NULL, position = 100000000');
    await database.admin.query('VACUUM (ANALYZE)');
  },
  120_000 + planRows(0),
);
afterAll(async () => {
  await connection.end();
  await database.drop();
});

const retriesRead = (plan: AnalyzedPlan): number =>
  sumOfSteps(plan, (step) => (step['Relation Name'] === 'webhook_retries' ? rowsOfStep(step) : 0));

/** @returns the number of retries that a statement of the store reads, and its result */
async function watch<Result>(
  mode: string,
  read: (store: CourierStore) => Promise<Result>,
): Promise<{ rows: number; result: Result }> {
  let rows = 0;
  const store = createCourierStore({
    async run({ name, text }: Query, values) {
      await connection.query(`DEALLOCATE ALL; SET plan_cache_mode = ${mode}`);
      await connection.query(`PREPARE watched AS ${text}`);
      const places = values.map((value) =>
        connection.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value)),
      );
      const explained = await connection.query<{
        'QUERY PLAN': [{ Plan: AnalyzedPlan; 'Execution Time': number }];
      }>(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE watched (${places.join(', ')})`);
      const [{ Plan: plan, 'Execution Time': milliseconds }] = explained.rows[0]!['QUERY PLAN'];
      reportTime(name, milliseconds, plan);
      rows += retriesRead(plan);
      return (await connection.query(text, [...values])).rows as never[];
    },
  });
  const result = await read(store);
  return { rows, result };
}

const modes = ['force_custom_plan', 'force_generic_plan'];
const makeDue = (sequence: number, when: string) =>
  database.admin.query(
    `UPDATE webhook_retries SET next_attempt_at = ${when} WHERE endpoint_id = $1 AND sequence = $2`,
    [endpointId, sequence],
  );

test.each(modes)('the search for work does not read retries that are not due (%s)', async (mode) => {
  const idle = await watch(mode, (store) => store.findWork(500, []));
  expect(idle).toEqual({ rows: 0, result: [] });
  await makeDue(inBatch, 'now()');
  const busy = await watch(mode, (store) => store.findWork(500, []));
  expect(busy.result).toEqual([{ environmentId, endpointId, reliability: 'proven' }]);
  expect(busy.rows).toBeLessThan(10);
  await makeDue(inBatch, `now() + interval '1 day'`);
});

test.each(modes)('a session reads only retries that are due (%s)', async (mode) => {
  await makeDue(inBatch, 'now()');
  const claimed = { environmentId, endpointId } as ClaimedEndpoint;
  const { rows } = await watch(mode, (store) => store.readDue(claimed, 20, false));
  expect(rows).toBeLessThan(10);
  await makeDue(inBatch, `now() + interval '1 day'`);
});

async function retriesReadSoFar(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ read: string }>(
    `SELECT t.seq_tup_read + t.idx_tup_fetch AS read FROM pg_stat_xact_user_tables t WHERE t.relname = 'webhook_retries'`,
  );
  return Number(rows[0]!.read);
}

test.each(modes)('recording a batch reads only its retries, and those of an outage (%s)', async (mode) => {
  await database.admin.query(
    'UPDATE webhook_retries SET outage_attempts = 1 WHERE endpoint_id = $1 AND sequence = $2',
    [endpointId, inBatch],
  );
  await connection.query(`DISCARD PLANS; SET plan_cache_mode = ${mode}`);
  await connection.query('BEGIN');
  try {
    const before = await retriesReadSoFar(connection);
    await record({ ends_failures: true, removed: [idOf(inBatch + 2), idOf(inBatch + 4)] });
    expect((await retriesReadSoFar(connection)) - before).toBeLessThan(30);
    const { rows } = await connection.query<{ sequence: string }>(
      `SELECT r.sequence FROM webhook_retries r
        WHERE r.endpoint_id = $1 AND (r.outage_attempts > 0 OR r.next_attempt_at <= clock_timestamp()) ORDER BY r.sequence`,
      [endpointId],
    );
    // They waited for the two that were removed.
    expect(rows.map(({ sequence }) => Number(sequence))).toEqual([inBatch + 3, inBatch + 5]);
  } finally {
    await connection.query('ROLLBACK');
  }
});

test.each(modes)('after a change of settings, a session reads 250 retries (%s)', async (mode) => {
  const client = await database.admin.connect();
  try {
    // Without foreign keys, as the rows were added.
    await client.query(
      `DISCARD PLANS; BEGIN; SET LOCAL session_replication_role = replica; SET LOCAL plan_cache_mode = ${mode}`,
    );
    await client.query(
      `UPDATE webhook_endpoints
          SET types = '{contribution.completed}', frees_retries = true,
              retries_checked_to = '00000000-0000-0000-0000-000000000000'
        WHERE environment_id = $1 AND endpoint_id = $2`,
      [environmentId, endpointId],
    );
    const before = await retriesReadSoFar(client);
    await client.query('SELECT check_webhook_retries($1, $2)', [environmentId, endpointId]);
    expect((await retriesReadSoFar(client)) - before).toBeLessThan(300);
    const { rows } = await client.query<{ checked: string }>(
      'SELECT retries_checked_to AS checked FROM webhook_endpoints WHERE endpoint_id = $1',
      [endpointId],
    );
    expect(rows).toEqual([{ checked: idOf(inBatch + 249) }]);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});
