import { createDeliveryReadings } from '../../src/features/webhooks/courier/delivery-readings.store';
import { inOperatorTransaction } from '../../src/db/operator-transaction';
import { operate } from '../support/operations';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';
import { accept, respondWith } from '../support/webhook-receiver';
import { createWebhookWorlds, deliversHere, receives, type WebhookWorld } from '../support/webhook-world';

/** Deliveries of a frozen company wait. Nothing is lost, and the wait disables no endpoint. */
let service: TestService;
let worlds: ReturnType<typeof createWebhookWorlds>;

beforeAll(async () => {
  service = await startService({ settings: deliversHere, pollMs: 50 });
  worlds = createWebhookWorlds(service);
});
afterEach(() => worlds.end());
afterAll(() => service.stop());

const freeze = ({ company: { name } }: WebhookWorld) =>
  operate(service.database, ({ companiesOverview }) => companiesOverview.freeze(name, 'a test'));
const unfreeze = ({ company: { name } }: WebhookWorld) =>
  operate(service.database, ({ companiesOverview }) => companiesOverview.unfreeze(name));

const stored = async ({ endpointId }: WebhookWorld): Promise<Record<string, unknown>> => {
  const { rows } = await service.database.admin.query<Record<string, unknown>>(
    `SELECT w.*, w.failing_since > now() - interval '1 hour' AS began_to_fail_now,
            (SELECT sum(r.attempts)::integer FROM webhook_retries r
              WHERE r.environment_id = w.environment_id AND r.endpoint_id = w.endpoint_id) AS attempts
       FROM webhook_endpoints w WHERE w.endpoint_id = $1`,
    [endpointId],
  );
  return rows[0]!;
};
const isIdle = async (it: WebhookWorld): Promise<boolean> => {
  const { leased_until: until } = await stored(it);
  return until === null || (until as Date) < new Date();
};

/** Events of another company are written, found and delivered. */
async function othersAreServed(): Promise<void> {
  const other = await worlds.world();
  await other.createAndComplete();
  await worlds.relay();
  await receives(other.receiver, 2);
}

test('events wait during a freeze and arrive afterwards', async () => {
  const it = await worlds.worldWith(2);
  const bank = await service.addCompany();
  await it.completions.link(bank);
  const ids = [await it.completions.create(), await it.completions.create()];
  await worlds.relay();
  await receives(it.receiver, 5);
  await until('the session has ended', () => isIdle(it));
  await freeze(it);
  for (const id of ids) await it.completions.complete(bank.test, id).expect(200);
  await worlds.relay();
  await othersAreServed();
  expect(it.receiver.received).toHaveLength(5);
  await unfreeze(it);
  await receives(it.receiver, 7);
  const events = it.receiver.received.slice(5).map(({ event }) => event);
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['contribution.completed']));
  expect(events.map(({ data }) => data['transaction_id']).sort()).toEqual([...ids].sort());
});

test('neither a retry nor a probe is attempted or counted during a freeze', async () => {
  const it = await worlds.worldWith(2);
  it.receiver.behave(respondWith(500));
  await it.createAndComplete();
  await worlds.relay();
  await until('the failure is recorded', async () => (await stored(it))['failure_count'] !== 0);
  await until('the session has ended', () => isIdle(it));
  await freeze(it);
  const { attempts, failure_count: failures } = await stored(it);
  const { length } = it.receiver.received;
  await it.hurry();
  await othersAreServed();
  expect(it.receiver.received).toHaveLength(length);
  expect(await stored(it)).toMatchObject({ attempts, failure_count: failures });
  it.receiver.behave(accept);
  await unfreeze(it);
  await until('nothing waits', async () => (await stored(it))['attempts'] === null);
});

test('an endpoint that was failing is not disabled for the time of a freeze', async () => {
  const it = await worlds.worldWith(2);
  it.receiver.behave(respondWith(500));
  await freeze(it);
  await service.database.admin.query(
    `UPDATE webhook_endpoints SET failure_count = 20, failing_since = now() - interval '30 days',
            next_probe_at = now() - interval '29 days', notice_count = 1 WHERE endpoint_id = $1`,
    [it.endpointId],
  );
  await unfreeze(it);
  expect(await stored(it)).toMatchObject({ began_to_fail_now: true });
  const { length } = it.receiver.received;
  await it.completions.create();
  await worlds.relay();
  await receives(it.receiver, length + 1);
  await until('the failed probe is recorded', async () => (await stored(it))['failure_count'] === 21);
  expect(await stored(it)).toMatchObject({ disabled_at: null });
});

test('a session that runs when the freeze begins ends, and records what it has sent', async () => {
  const it = await worlds.worldWith(2);
  let respond: () => void = () => undefined;
  const isFrozen = new Promise<void>((resolve) => (respond = resolve));
  it.receiver.behave(
    (received, response) =>
      void isFrozen.then(() => {
        accept(received, response, 0);
      }),
  );
  for (let count = 0; count < 5; count += 1) await it.completions.create();
  await worlds.relay();
  await receives(it.receiver, 3);
  await freeze(it);
  respond();
  await until('the session has ended', () => isIdle(it));
  const { position } = await stored(it);
  expect(Number(position)).toBeGreaterThan(2);
  await unfreeze(it);
  await until('all have arrived', async () => Number((await stored(it))['position']) === 7);
  const ids = new Set(it.receiver.received.map(({ event }) => event.id));
  expect(ids.size).toBe(7);
});

test('a replay waits during a freeze', async () => {
  const it = await worlds.worldWith(4);
  await freeze(it);
  const { rows } = await service.database.admin.query<{ replay_id: string }>(
    `INSERT INTO webhook_replays
       (environment_id, replay_id, endpoint_id, from_sequence, to_sequence, types, selection, event_count, position,
        delivered_count, skipped_count, attempts, skipped_in_row, next_attempt_at, created_at)
     SELECT environment_id, gen_random_uuid(), endpoint_id, 1, 4, '{}', 'all', 4, 0, 0, 0, 0, 0, now(), now()
       FROM webhook_endpoints WHERE endpoint_id = $1
     RETURNING replay_id`,
    [it.endpointId],
  );
  await othersAreServed();
  expect(it.receiver.received).toHaveLength(4);
  await unfreeze(it);
  await receives(it.receiver, 8);
  expect(rows).toHaveLength(1);
});

test('no metric counts the endpoints of a frozen company as late or failing', async () => {
  const it = await worlds.worldWith(2);
  await freeze(it);
  const read = () =>
    inOperatorTransaction(service.database.ownerUrl, 'read', async (statements) => {
      const values = new Map<string, number | undefined>();
      for (const { gauges, read } of createDeliveryReadings(statements)) {
        const samples = await read();
        gauges.forEach(({ name }, place) => values.set(name, samples[place]?.[0]?.value));
      }
      return ['contribution_webhook_lag_seconds', 'contribution_failing_webhook_endpoints'].map((name) =>
        values.get(name),
      );
    });
  await service.database.admin.query('UPDATE webhook_endpoints SET position = 0 WHERE endpoint_id = $1', [
    it.endpointId,
  ]);
  expect(await read()).toEqual([0, 0]);
  await service.database.admin.query(
    `UPDATE webhook_endpoints SET failure_count = 10, failing_since = now(), next_probe_at = now() + interval '1 day'
      WHERE endpoint_id = $1`,
    [it.endpointId],
  );
  expect(await read()).toEqual([0, 0]);
  await unfreeze(it);
  expect(await read()).toEqual([0, 1]);
});
