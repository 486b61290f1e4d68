import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { createCourierStore } from '../../src/features/webhooks/courier/courier.store';
import { environmentOf } from '../support/environment';
import { lockWaits } from '../support/lock-waits';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';
import { respondWith } from '../support/webhook-receiver';
import { createWebhookWorlds, deliversHere, type WebhookWorld } from '../support/webhook-world';
import { verifyEndpoint } from '../support/added-endpoint';

/** What changed settings of an endpoint do to its retries. */
const path = '/company/integration/webhook-endpoints';

let service: TestService;
/** Its courier is off, so a test decides when a session starts. */
let quiet: TestService;
let worlds: ReturnType<typeof createWebhookWorlds>;

beforeAll(async () => {
  service = await startService({
    settings: deliversHere,
    pollMs: 50,
  });
  worlds = createWebhookWorlds(service);
  quiet = await startService({ settings: { WEBHOOK_DESTINATIONS: 'loopback' } });
});
afterEach(() => worlds.end());
afterAll(() => Promise.all([service.stop(), quiet.stop()]));

const retriesOf = async (endpointId: string) =>
  (
    await service.database.admin.query<{ event_id: string; transaction_id: string }>(
      'SELECT event_id, transaction_id FROM webhook_retries WHERE endpoint_id = $1',
      [endpointId],
    )
  ).rows;

/** The key of the endpoint and of its retries. On Citus, the environment distributes the tables. */
const keyOf = async ({ company, endpointId }: WebhookWorld): Promise<unknown[]> => [
  await environmentOf(service.database.admin, company.name),
  endpointId,
];

/** An endpoint that rejected the first event, whose retry is due in an hour. */
async function worldWithRetry(): Promise<WebhookWorld> {
  const it = await worlds.world();
  it.receiver.behave(respondWith(500, { 'Retry-After': '3600' }));
  await it.completions.create('5.00');
  await worlds.relay();
  await until('the failure is recorded', async () => (await retriesOf(it.endpointId)).length === 1);
  return it;
}

async function withConnection(
  { database }: TestService,
  run: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client(sessionConfig({ connectionString: database.adminUrl }));
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end();
  }
}

test('a change of types waits for no retry', async () => {
  const it = await worldWithRetry();
  await withConnection(service, async (client) => {
    await client.query('BEGIN');
    await client.query(
      'SELECT FROM webhook_retries WHERE environment_id = $1 AND endpoint_id = $2 FOR UPDATE',
      await keyOf(it),
    );
    await it.company.test.patch(it.one, { types: ['contribution.completed'] }).expect(200);
    await client.query('ROLLBACK');
  });
  await until('the retry ends', async () => (await retriesOf(it.endpointId)).length === 0);
  expect(it.receiver.received).toHaveLength(1);
});

test.each(['another URL', 'enabled again'])(
  'a retry that is recorded while the settings change is due at once: %s',
  async (change) => {
    const it = await worldWithRetry();
    const moved = change === 'another URL' ? await worlds.receiver() : it.receiver;
    const before = moved.received.length;
    let changed: Promise<unknown> = Promise.resolve();
    await withConnection(service, async (client) => {
      const key = await keyOf(it);
      const ofEndpoint = 'WHERE environment_id = $1 AND endpoint_id = $2';
      const { rows } = await client.query<{ retry: object }>(
        `SELECT to_jsonb(r) AS retry FROM webhook_retries r ${ofEndpoint}`,
        key,
      );
      await client.query(`DELETE FROM webhook_retries ${ofEndpoint}`, key);
      // As a batch is recorded: it locks the endpoint, and adds its retries.
      await client.query('BEGIN');
      await client.query(`SELECT FROM webhook_endpoints ${ofEndpoint} FOR UPDATE`, key);
      await client.query(
        'INSERT INTO webhook_retries SELECT * FROM jsonb_populate_record(NULL::webhook_retries, $1)',
        [rows[0]!.retry],
      );
      changed =
        change === 'another URL'
          ? it.company.test.patch(it.one, { url: moved.url }).expect(200).then()
          : it.company.test.post(`${it.one}/enable`).expect(200).then();
      await until('the change waits', async () => (await lockWaits(service.database.admin)).length === 1);
      await client.query('COMMIT');
    });
    await changed;
    await verifyEndpoint(service.database.admin, it.endpointId);
    await until('the retry is attempted', () => moved.received.length > before);
  },
);

/** Plants events of the type `contribution.created`, each with a retry that is due tomorrow. */
const plantRetries = (endpointId: string, count: number): Promise<void> =>
  withConnection(quiet, async (client) => {
    const each = `
      FROM webhook_endpoints w, generate_series(1, $2::integer) AS n,
           LATERAL (SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid AS event_id) AS e
     WHERE w.endpoint_id = $1`;
    // Without the contributions of the events, because only the types matter.
    await client.query('SET session_replication_role = replica');
    // On Citus, the setting does not reach the workers.
    await client.query(
      'INSERT INTO feeds (environment_id) SELECT environment_id FROM webhook_endpoints WHERE endpoint_id = $1',
      [endpointId],
    );
    await client.query(
      `INSERT INTO feed_events (environment_id, sequence, event_id, transaction_id, type, recorded_at, written_at,
              data, owner_environment_id, audience)
       SELECT w.environment_id, 1000000 + n, e.event_id, 'T' || n, 'contribution.created', now(), now(), '{}',
              w.environment_id, '{}' ${each}`,
      [endpointId, count],
    );
    await client.query(
      `INSERT INTO webhook_retries (environment_id, endpoint_id, event_id, sequence, transaction_id, attempts,
              outage_attempts, next_attempt_at, created_at)
       SELECT w.environment_id, $1, e.event_id, 1000000 + n, 'T' || n, 5, 0, now() + interval '1 day', now() ${each}`,
      [endpointId, count],
    );
  });

test('retries of a type that an endpoint no longer receives end in batches, before each session', async () => {
  const { admin } = quiet.database;
  const company = await quiet.addCompany();
  const { body } = await company.test.post(path, { url: 'http://127.0.0.1:9/' }).expect(201);
  const endpointId = body.endpoint_id as string;
  await verifyEndpoint(admin, endpointId);
  await plantRetries(endpointId, 600);
  // The last one is of another type. One more event waits for the first.
  await admin.query(`UPDATE feed_events SET type = 'contribution.completed' WHERE sequence = 1000600`);
  await admin.query(
    `INSERT INTO webhook_retries (environment_id, endpoint_id, event_id, sequence, transaction_id, attempts,
            outage_attempts, next_attempt_at, created_at)
     SELECT environment_id, endpoint_id, gen_random_uuid(), 2000000, 'T1', 0, 0, 'infinity', now()
       FROM webhook_endpoints WHERE endpoint_id = $1`,
    [endpointId],
  );
  const store = createCourierStore(quiet.container.database);
  const left = async () => {
    const { rows } = await admin.query(
      `SELECT count(*)::integer AS count, count(*) FILTER (WHERE next_attempt_at <= now())::integer AS due
         FROM webhook_retries WHERE endpoint_id = $1`,
      [endpointId],
    );
    return rows[0] as { count: number; due: number };
  };
  await company.test.patch(`${path}/${endpointId}`, { types: ['contribution.completed'] }).expect(200);
  expect(await left()).toEqual({ count: 601, due: 0 });

  const counts: unknown[] = [];
  for (let lease = 1; lease <= 3; lease += 1) {
    const [work] = await store.findWork(10, []);
    const claimed = await store.claim(work!, `00000000-0000-7000-8000-00000000000${lease}`);
    counts.push(await left());
    await store.release(claimed!);
  }
  expect(counts).toEqual([
    { count: 351, due: 1 },
    { count: 101, due: 1 },
    { count: 2, due: 1 },
  ]);
  await admin.query(`UPDATE webhook_retries SET next_attempt_at = now() + interval '1 day'`);
  expect(await store.findWork(10, [])).toEqual([]);
});
