import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { createWebhookWorlds, deliversHere, receives, type WebhookWorld } from '../support/webhook-world';
import type { WebhookReceiver } from '../support/webhook-receiver';

/** What a host gets that never agreed to receive anything, or that fails. */
const path = '/company/integration/webhook-endpoints';
let service: TestService;
let worlds: ReturnType<typeof createWebhookWorlds>;

beforeAll(async () => {
  service = await startService({ settings: deliversHere, pollMs: 50 });
  worlds = createWebhookWorlds(service);
});
afterAll(async () => {
  await worlds.end();
  await service.stop();
});

/** Creates an endpoint on the host of a receiver. */
async function createOn(receiver: WebhookReceiver, company: TestCompany): Promise<string> {
  const { body } = await company.test.post(path, { url: `${receiver.url}/${randomUUID()}` }).expect(201);
  return `${path}/${body.endpoint_id as string}`;
}

test('a test endpoint receives no event before a ping has succeeded, and none after its URL has changed', async () => {
  const it = await worlds.worldWith(2);
  const silent = await worlds.receiver();
  const one = await createOn(silent, it.company);
  expect((await it.company.test.get(one).expect(200)).body.status).toBe('unverified');
  await it.createAndComplete();
  await worlds.relay();
  await it.positionReaches(4);
  const unverified = await it.company.test.post(`${one}/replays`, { from_sequence: 1 }).expect(409);
  expect(unverified.body.code).toBe('webhook_endpoint_unverified');
  await it.company.test.post(`${one}/replays`, { from_sequence: 1, dry_run: true }).expect(200);
  await it.createAndComplete();
  await worlds.relay();
  await it.positionReaches(6);
  expect(silent.received).toEqual([]);
  expect((await it.company.test.post(`${one}/ping`).expect(200)).body.outcome).toBe('delivered');
  await receives(silent, 5);
  expect(silent.received).toHaveLength(5);
  await it.company.test.patch(one, { url: `${silent.url}/moved` }).expect(200);
  expect((await it.company.test.get(one).expect(200)).body.status).toBe('unverified');
});

const changes = {
  'its description': (it: WebhookWorld) => it.company.test.patch(it.one, { description: randomUUID() }),
  'its types': (it: WebhookWorld) => it.company.test.patch(it.one, { types: [] }),
  'its secret': (it: WebhookWorld) => it.company.test.post(`${it.one}/rotate-secret`, { overlap_hours: 24 }),
};

test.each(Object.entries(changes))(
  'failures count although the partner changes %s during each attempt, and 410 disables',
  async (_what, change) => {
    const it = await worlds.worldWith(2);
    let status = 500;
    it.receiver.behave((_, response) => {
      void change(it)
        .expect(200)
        .then(() => response.writeHead(status).end());
    });
    for (let count = 0; count < 12; count += 1) await it.createAndComplete();
    await worlds.relay();
    await until('deliveries stop', async () => (await it.endpoint())['status'] === 'failing');
    status = 410;
    await service.database.admin.query(
      'UPDATE webhook_endpoints SET next_probe_at = now() WHERE endpoint_id = $1',
      [it.endpointId],
    );
    await until('it is disabled', async () => (await it.endpoint())['status'] === 'disabled');
  },
);

test.each([
  [410, 'disabled'],
  [204, 'enabled'],
])(
  'a response of %i after the end of its batch is recorded although the partner changes the endpoint',
  async (status, becomes) => {
    const it = await worlds.worldWith(2);
    // The endpoint works, so its batches do not wait for slow responses.
    await it.createAndComplete();
    await worlds.relay();
    await it.positionReaches(4);
    const before = it.receiver.received.length;
    it.receiver.behave((_, response) => {
      void it.company.test
        .patch(it.one, { description: randomUUID() })
        .expect(200)
        .then(() => delay(2_600))
        .then(() => response.writeHead(status).end());
    });
    await it.createAndComplete();
    await worlds.relay();
    await until('it is recorded', async () => {
      const { rows } = await service.database.admin.query<{ is_over: boolean }>(
        `SELECT w.leased_until IS NULL AND NOT EXISTS (SELECT FROM webhook_retries r WHERE r.endpoint_id = w.endpoint_id)
           AND w.position = 6 OR w.disabled_at IS NOT NULL AS is_over
         FROM webhook_endpoints w WHERE w.endpoint_id = $1`,
        [it.endpointId],
      );
      return rows[0]?.is_over === true;
    });
    expect((await it.endpoint())['status']).toBe(becomes);
    expect(it.receiver.received.length - before).toBeLessThanOrEqual(2);
  },
);

test('failures of before an enable do not count', async () => {
  const it = await worlds.worldWith(2);
  let attempts = 0;
  it.receiver.behave((_, response) => {
    attempts += 1;
    void it.company.test
      .post(`${it.one}/enable`)
      .then(() => response.writeHead(attempts > 1 ? 204 : 500).end());
  });
  await it.createAndComplete();
  await worlds.relay();
  await it.positionReaches(4);
  await until('the retry is delivered', () => attempts > 2);
  expect(await it.endpoint()).toMatchObject({ failing_since: null, status: 'enabled' });
});

test('a new URL counts like a failed ping, unless it is rejected', async () => {
  const company = await service.addCompany();
  const receiver = await worlds.receiver();
  const [one, other] = [await createOn(receiver, company), await createOn(receiver, company)];
  const { body } = await company.test.get(other).expect(200);
  for (let count = 0; count < 12; count += 1) {
    await company.test.patch(one, { url: body.url as string }).expect(409);
    await company.test.patch(one, { description: 'free' }).expect(200);
    await company.test.post(`${one}/enable`).expect(200);
  }
  for (let count = 0; count < 10; count += 1)
    await company.test.patch(one, { url: `${receiver.url}/${count}` }).expect(200);
  await company.test.patch(one, { url: `${receiver.url}/last` }).expect(429);
  await company.test.patch(one, { description: 'free' }).expect(200);
});

test('pings, resends, enables and replays to a receiver that fails stop after ten', async () => {
  const it = await worlds.worldWith(2);
  it.receiver.behave((_, response) => response.writeHead(404).end());
  const { body } = await it.company.test.get('/company/integration/events?limit=1').expect(200);
  const [event] = body.data as { id: string }[];
  const before = it.receiver.received.length;
  for (let count = 0; count < 4; count += 1) {
    expect((await it.company.test.post(`${it.one}/ping`).expect(200)).body.outcome).toBe('failed');
    await it.company.test.post(`${it.one}/events/${event!.id}/resend`).expect(200);
  }
  await it.company.test.post(`${it.one}/enable`).expect(200);
  const { body: replay } = await it.company.test.post(`${it.one}/replays`, { from_sequence: 1 }).expect(201);
  await it.company.test.post(`${it.one}/replays/${replay.replay_id as string}/cancel`).expect(200);
  const received = it.receiver.received.length;
  expect(received - before).toBeGreaterThanOrEqual(8);
  const replays = { from_sequence: 1 };
  for (const [operation, content] of [
    ['ping'],
    [`events/${event!.id}/resend`],
    ['enable'],
    ['replays', replays],
  ] as const) {
    const refused = await it.company.test.post(`${it.one}/${operation}`, content).expect(429);
    expect(refused.body).toMatchObject({
      code: 'rate_limited',
      detail: expect.stringContaining('every 30 seconds'),
    });
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(30);
  }
  // What sends nothing costs nothing.
  await it.company.test.post(`${it.one}/replays`, { ...replays, dry_run: true }).expect(200);
  // Nor is another company concerned, also at the same host.
  const other = await service.addCompany();
  it.receiver.behave((_, response) => response.writeHead(204).end());
  const endpoint = await createOn(it.receiver, other);
  for (let count = 0; count < 12; count += 1)
    expect((await other.test.post(`${endpoint}/ping`).expect(200)).body.outcome).toBe('delivered');
});

test('an enable and a replay that are rejected are no failures', async () => {
  const it = await worlds.worldWith(2);
  await it.company.test.post(`${it.one}/disable`).expect(200);
  await it.company.test.post(`${it.one}/replays`, { from_sequence: 1 }).expect(201);
  for (let count = 0; count < 12; count += 1) {
    await it.company.test.post(`${it.one}/replays`, { from_sequence: 1 }).expect(409);
    await it.company.test.post(`${path}/${randomUUID()}/enable`).expect(404);
  }
  await it.company.test.post(`${it.one}/enable`).expect(200);
  await until('the replay ends', async () => {
    const { body } = await it.company.test.get(`${it.one}/replays`).expect(200);
    return (body.data as { status: string }[])[0]!.status === 'completed';
  });
});
