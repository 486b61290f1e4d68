import { createReplayLaneStore } from '../../src/features/webhooks/replays/replay-lane.store';
import { startReplayLane } from '../../src/features/webhooks/replays/replay-lane';
import { createDestinations } from '../../src/features/webhooks/sending/destinations';
import { createSendLimits } from '../../src/features/webhooks/requests/send-limits';
import { createSender } from '../../src/features/webhooks/sending/sender';
import { senderSettings } from '../../src/features/webhooks/sending/sender-settings';
import { createWebhookAttemptsStore } from '../../src/features/webhooks/attempts/webhook-attempts.store';
import { createWebhookEndpointsStore } from '../../src/features/webhooks/endpoints/webhook-endpoints.store';
import { createWebhookMessages } from '../../src/features/webhooks/sending/webhook-message';
import { systemClock } from '../../src/shared/clock';
import { testWebhookKeys } from '../support/assemble-service';
import { readFeed } from '../support/feed';
import { longTest, sample } from '../support/full-run';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';
import { accept, respondWith, type Received } from '../support/webhook-receiver';
import { createWebhookWorlds, deliversHere, receives, type WebhookWorld } from '../support/webhook-world';

/** Replays of part of the feed to real receivers on this machine. */
let service: TestService;
let worlds: ReturnType<typeof createWebhookWorlds>;

beforeAll(async () => {
  service = await startService({ settings: deliversHere, pollMs: 50 });
  worlds = createWebhookWorlds(service);
});
afterEach(() => worlds.end());
afterAll(() => service.stop());

interface Replay {
  replay_id: string;
  status: string;
  position: number;
  delivered_count: number;
  skipped_count: number;
  event_count: number;
}

const isReplayed = ({ headers }: Received): boolean => headers['webhook-replayed'] === 'true';
const replayed = ({ receiver }: WebhookWorld): Received[] => receiver.received.filter(isReplayed);

async function start(it: WebhookWorld, body: object): Promise<Replay> {
  return (await it.company.test.post(`${it.one}/replays`, body).expect(201)).body as Replay;
}

const read = async (it: WebhookWorld, { replay_id: id }: Replay): Promise<Replay> =>
  (await it.company.test.get(`${it.one}/replays/${id}`).expect(200)).body as Replay;

async function untilStatus(it: WebhookWorld, replay: Replay, status: string): Promise<Replay> {
  await until(`the replay is ${status}`, async () => (await read(it, replay)).status === status);
  return read(it, replay);
}

/** Makes the next attempt of a replay due. */
const hurry = () =>
  service.database.admin.query('UPDATE webhook_replays SET next_attempt_at = now() WHERE ended_at IS NULL');

test('a replay sends its range again with the same ids and bodies, new timestamps and a header', async () => {
  const it = await worlds.worldWith(6);
  const before = [...it.receiver.received];
  const replay = await start(it, { from_sequence: 2, to_sequence: 5 });
  expect(replay).toMatchObject({ status: 'running', event_count: 4, position: 1, delivered_count: 0 });
  const ended = await untilStatus(it, replay, 'completed');
  expect(ended).toMatchObject({ position: 5, delivered_count: 4, skipped_count: 0 });
  const again = replayed(it);
  expect(again.map(({ event }) => event.sequence).sort()).toEqual([2, 3, 4, 5]);
  for (const { event, body, headers } of again) {
    const first = before.find((one) => one.event.id === event.id)!;
    expect(body).toBe(first.body);
    expect(headers['webhook-id']).toBe(event.id);
    expect(Number(headers['webhook-timestamp'])).toBeGreaterThanOrEqual(
      Number(first.headers['webhook-timestamp']),
    );
  }
  // It does not change the position.
  expect(await it.endpoint()).toMatchObject({ position: 6 });
  expect((await it.company.test.get(`${it.one}/replays`).expect(200)).body.data).toEqual([ended]);
});

test('a preview counts what a replay sends, and sends nothing', async () => {
  const it = await worlds.worldWith(6);
  const preview = async (body: object) =>
    (await it.company.test.post(`${it.one}/replays`, { ...body, dry_run: true }).expect(200)).body as unknown;
  expect(await preview({ from_sequence: 1 })).toEqual({
    from_sequence: 1,
    to_sequence: 6,
    types: [],
    only: 'all',
    event_count: 6,
  });
  expect(await preview({ from_sequence: 3, types: ['contribution.completed'] })).toMatchObject({
    event_count: 2,
  });
  expect(await preview({ from: '2020-01-01T00:00:00Z' })).toMatchObject({ event_count: 6 });
  expect(await preview({ from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' })).toMatchObject({
    from_sequence: 1,
    to_sequence: 0,
    event_count: 0,
  });
  expect(await preview({ from_sequence: 1, only: 'exhausted' })).toMatchObject({ event_count: 0 });
  expect((await it.company.test.get(`${it.one}/replays`).expect(200)).body.data).toEqual([]);
});

test('a time range selects the events that entered the feed in it', async () => {
  const it = await worlds.worldWith(6);
  await service.database.admin.query(
    `UPDATE feed_events f
        SET written_at = (timestamp '2026-01-01' + f.sequence * interval '1 hour') AT TIME ZONE 'UTC'
       FROM webhook_endpoints w WHERE w.environment_id = f.environment_id AND w.endpoint_id = $1`,
    [it.endpointId],
  );
  const numbers = async (from: string, to: string) => {
    const body = { from: `2026-01-01T${from}Z`, to: `2026-01-01T${to}Z`, dry_run: true };
    const { from_sequence: first, to_sequence: last } = (
      await it.company.test.post(`${it.one}/replays`, body).expect(200)
    ).body as Record<string, number>;
    return [first, last];
  };
  expect(await numbers('00:00:00', '23:00:00')).toEqual([1, 6]);
  expect(await numbers('02:00:00', '04:00:00')).toEqual([2, 3]);
  expect(await numbers('02:00:01', '04:00:01')).toEqual([3, 4]);
  expect(await numbers('06:00:01', '23:00:00')).toEqual([7, 6]);
});

test('only what was given up is replayed', async () => {
  const it = await worlds.world();
  it.receiver.behave((received, response, count) => {
    (received.event.type === 'contribution.created' ? respondWith(500) : accept)(received, response, count);
  });
  await it.createAndComplete();
  await worlds.relay();
  await it.positionReaches(2);
  await service.database.admin.query(
    'UPDATE webhook_retries SET attempts = 12, outage_attempts = 0 WHERE attempts = 1',
  );
  await it.hurry();
  await until('it is given up', async () => {
    await worlds.relay();
    return (await readFeed(it.company.test)).last_sequence === 3;
  });
  it.receiver.behave(accept);
  const replay = await start(it, { from_sequence: 1, only: 'exhausted' });
  expect(replay.event_count).toBe(1);
  await untilStatus(it, replay, 'completed');
  expect(replayed(it).map(({ event }) => event.type)).toEqual(['contribution.created']);
});

test('the attempts of an event are listed for all endpoints', async () => {
  const it = await worlds.world();
  const other = await it.addEndpoint();
  for (const { receiver } of [it, other]) receiver.behave(respondWith(503, {}, 'down'));
  await it.completions.create();
  await worlds.relay();
  await receives(it.receiver, 1);
  await receives(other.receiver, 1);
  const [event] = (await readFeed(it.company.test)).data;
  const list = async () =>
    (await it.company.test.get(`/company/integration/events/${event!.id}/attempts`).expect(200)).body
      .data as Record<string, unknown>[];
  await until('both are logged', async () => (await list()).length === 2);
  expect((await list()).map((attempt) => attempt['endpoint_id']).sort()).toEqual(
    [it.endpointId, other.endpointId].sort(),
  );
  expect((await list())[0]).toMatchObject({ event_id: event!.id, status: 503, response: 'down' });
});

test('one replay runs at a time, and a canceled one ends', async () => {
  const it = await worlds.worldWith(4);
  it.receiver.behave(respondWith(503));
  const replay = await start(it, { from_sequence: 1 });
  const second = await it.company.test.post(`${it.one}/replays`, { from_sequence: 1 }).expect(409);
  expect(second.body.code).toBe('webhook_replay_running');
  const cancel = () => it.company.test.post(`${it.one}/replays/${replay.replay_id}/cancel`).expect(200);
  const canceled = (await cancel()).body as Replay;
  expect(canceled.status).toBe('canceled');
  expect((await cancel()).body).toMatchObject({ status: 'canceled' });
  it.receiver.behave(accept);
  await untilStatus(it, await start(it, { from_sequence: 4 }), 'completed');
  expect((await read(it, replay)).status).toBe('canceled');
});

test('the list has the newest replays, and says whether there are older ones', async () => {
  const it = await worlds.worldWith(2);
  const older = await untilStatus(it, await start(it, { from_sequence: 1 }), 'completed');
  const newer = await untilStatus(it, await start(it, { from_sequence: 2 }), 'completed');
  const list = async (query: string) =>
    (await it.company.test.get(`${it.one}/replays${query}`).expect(200)).body as unknown;
  expect(await list('?limit=1')).toEqual({ data: [newer], has_more: true });
  expect(await list('?limit=2')).toEqual({ data: [newer, older], has_more: false });
  expect(await list('')).toEqual({ data: [newer, older], has_more: false });
});

test('a failed event is repeated, then skipped, and three in a row end the replay', async () => {
  const it = await worlds.worldWith(6);
  it.receiver.behave((received, response, count) => {
    (received.event.sequence === 2 ? respondWith(500) : accept)(received, response, count);
  });
  const skips = await start(it, { from_sequence: 1, to_sequence: 6 });
  await until('it ends', async () => {
    await hurry();
    return (await read(it, skips)).status === 'completed';
  });
  expect(await read(it, skips)).toMatchObject({ delivered_count: 5, skipped_count: 1, position: 6 });
  expect(replayed(it).filter(({ event }) => event.sequence === 2)).toHaveLength(6);
  const { data } = (await it.company.test.get(`${it.one}/attempts?outcome=failed`).expect(200)).body as {
    data: Record<string, unknown>[];
  };
  expect(data).toHaveLength(6);
  expect(data[0]).toMatchObject({ kind: 'replay', outcome: 'failed', attempt: 6, status: 500 });

  it.receiver.behave(respondWith(500));
  const fails = await start(it, { from_sequence: 1 });
  await until('it fails', async () => {
    await hurry();
    return (await read(it, fails)).status === 'failed';
  });
  expect(await read(it, fails)).toMatchObject({ delivered_count: 0, skipped_count: 3, position: 3 });
});

test('a replay waits while its endpoint is disabled, and continues', async () => {
  const it = await worlds.worldWith(4);
  await it.company.test.post(`${it.one}/disable`).expect(200);
  const replay = await start(it, { from_sequence: 1 });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(replayed(it)).toEqual([]);
  expect((await read(it, replay)).status).toBe('running');
  await it.company.test.post(`${it.one}/enable`).expect(200);
  await untilStatus(it, replay, 'completed');
  expect(replayed(it)).toHaveLength(4);
});

test('a range without events is complete at once, and invalid ranges are rejected', async () => {
  const it = await worlds.worldWith(2);
  await untilStatus(it, await start(it, { from_sequence: 3 }), 'completed');
  for (const wrong of [
    {},
    { to: '2026-01-01T00:00:00Z' },
    { to_sequence: 5 },
    { from: '2026-01-01T00:00:00Z', from_sequence: 1 },
    { from_sequence: 0 },
    { from_sequence: 1, only: 'some' },
    { from_sequence: 1, types: ['ping'] },
    { from_sequence: 1, dry_run: 1 },
  ]) {
    const { body } = await it.company.test.post(`${it.one}/replays`, wrong).expect(400);
    expect(body.code).toBe('invalid_request');
  }
  await service.database.admin.query(
    `UPDATE webhook_endpoints SET position = 2000000 WHERE endpoint_id = $1`,
    [it.endpointId],
  );
  await service.database.admin.query(
    `UPDATE feeds f SET last_sequence = 2000000 FROM webhook_endpoints w
      WHERE w.environment_id = f.environment_id AND w.endpoint_id = $1`,
    [it.endpointId],
  );
  const { body } = await it.company.test.post(`${it.one}/replays`, { from_sequence: 1 }).expect(400);
  expect(body.errors[0]).toMatchObject({ code: 'out_of_range', pointer: '/to_sequence' });
});

test.each([
  [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, '/to'],
  [{ from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:00.000Z' }, '/to'],
  [{ from_sequence: 2, to_sequence: 1 }, '/to_sequence'],
])('a range that ends before it starts is rejected: %j', async (range, pointer) => {
  const it = await worlds.worldWith(2);
  const { body } = await it.company.test.post(`${it.one}/replays`, range).expect(400);
  expect(body.errors).toEqual([
    { pointer, code: 'out_of_range', detail: expect.stringContaining('Send a ') as string },
  ]);
});

longTest.each([
  [{ dryRun: true }, 'unknown_parameter', '/dryRun'],
  [{ extra: 1 }, 'unknown_parameter', '/extra'],
  [{ dry_run: null }, 'invalid_type', '/dry_run'],
  [{ dry_run: '' }, 'invalid_type', '/dry_run'],
  [{ dry_run: 'true' }, 'invalid_type', '/dry_run'],
])('a body with %j starts no replay', async (member, code, pointer) => {
  const it = await worlds.worldWith(2);
  const request = { from_sequence: 1, ...member };
  const { body } = await it.company.test.post(`${it.one}/replays`, request).expect(400);
  expect(body.errors).toMatchObject([{ code, pointer }]);
  expect((await it.company.test.get(`${it.one}/replays`).expect(200)).body.data).toEqual([]);
});

describe('a process that is killed during a replay', () => {
  /** A lane whose database connection ends before the statement with this number. */
  function startDoomed(quiet: TestService, killedAt: number) {
    let count = 0;
    let isDead = false;
    const { database } = quiet.container;
    const dying = {
      run: ((...parameters: Parameters<typeof database.run>) => {
        count += 1;
        isDead ||= count >= killedAt;
        return isDead ? new Promise(() => undefined) : database.run(...parameters);
      }) as typeof database.run,
    };
    const sender = createSender(createDestinations(true), senderSettings);
    const lane = startReplayLane({
      store: createReplayLaneStore(dying),
      endpoints: createWebhookEndpointsStore(dying),
      attempts: createWebhookAttemptsStore(dying, 7),
      sender,
      limits: createSendLimits(),
      messages: createWebhookMessages(testWebhookKeys, systemClock),
      logger: quiet.logger,
      pollMs: 50,
    });
    return {
      isDead: () => isDead,
      async stop() {
        await lane.stop();
        sender.stop();
      },
    };
  }

  longTest('between any two statements leaves a replay that sends every event', async () => {
    // The processes of this service send nothing.
    const quiet = await startService({ settings: { WEBHOOK_DESTINATIONS: 'loopback' } });
    const ofQuiet = createWebhookWorlds(quiet);
    try {
      const it = await ofQuiet.world();
      for (let count = 0; count < 125; count += 1) await it.createAndComplete();
      await ofQuiet.relay();
      await quiet.database.admin.query('UPDATE webhook_endpoints SET position = 250');
      const replay = await start(it, { from_sequence: 1 });
      const statements = sample([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 3);
      for (const killedAt of statements) {
        const doomed = startDoomed(quiet, killedAt);
        await until('it dies', doomed.isDead);
        // The lease of the killed process ends.
        await quiet.database.admin.query(
          'UPDATE webhook_replays SET leased_until = NULL, next_attempt_at = now() WHERE ended_at IS NULL',
        );
      }
      const last = startDoomed(quiet, Infinity);
      const ended = await untilStatus(it, replay, 'completed');
      await last.stop();
      const sequences = replayed(it).map(({ event }) => event.sequence);
      expect(new Set(sequences).size).toBe(250);
      expect(ended).toMatchObject({ delivered_count: 250, skipped_count: 0 });
      // At most one batch is sent again after each kill.
      expect(sequences.length).toBeLessThanOrEqual(250 + statements.length * 100);
    } finally {
      await ofQuiet.end();
      await quiet.stop();
    }
  });
});
