import type { ServerResponse } from 'node:http';

import { longTest } from '../support/full-run';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';
import { accept, startReceiver } from '../support/webhook-receiver';
import { createWebhookWorlds, deliversHere, receives, type WebhookWorld } from '../support/webhook-world';

/** Deliveries of other events, and changes of the endpoint, while a receiver responds slowly. */
let service: TestService;
let worlds: ReturnType<typeof createWebhookWorlds>;

beforeAll(async () => {
  service = await startService({ settings: deliversHere });
  worlds = createWebhookWorlds(service);
});
afterEach(() => worlds.end());
afterAll(() => service.stop());

/** Lets the receiver respond to all but the first event of each of these contributions. */
async function hangAt(it: WebhookWorld, count: number) {
  const held = new Map<string, ServerResponse>();
  it.receiver.behave((received, response) => {
    const id = String(received.event.data['transaction_id']);
    if (held.size < count && !held.has(id)) held.set(id, response);
    else accept(received, response, 0);
  });
  const before = it.receiver.received.length;
  const ids: string[] = [];
  for (let created = 0; created < count; created += 1) ids.push(await it.completions.create('5.00'));
  await worlds.relay();
  await receives(it.receiver, before + count);
  const respond = (): void => {
    for (const response of held.values()) response.writeHead(204).end();
  };
  return { ids, respond };
}

const idsIn = (it: WebhookWorld) =>
  it.receiver.received.map(({ event }) => `${String(event.data['transaction_id'])} ${event.type}`);

longTest(
  'an endpoint that subscribes to more types meanwhile receives later events of these types',
  async () => {
    const it = await worlds.world({ types: ['contribution.completed'] });
    await it.createAndComplete();
    await worlds.relay();
    await it.positionReaches(2);
    it.receiver.behave((received, response) => {
      setTimeout(accept, 1_500, received, response, 0);
    });
    await it.createAndComplete();
    await worlds.relay();
    await receives(it.receiver, 2);
    await it.company.test.patch(it.one, { types: [] }).expect(200);
    it.receiver.behave(accept);
    const id = await it.completions.create('5.00');
    await worlds.relay();
    await it.positionReaches(5);
    expect(idsIn(it)).toContain(`${id} contribution.created`);
  },
);

longTest('after a change of the URL, new events go to the new URL', async () => {
  const it = await worlds.worldWith(2);
  const { respond } = await hangAt(it, 1);
  const other = await startReceiver();
  await it.company.test.patch(it.one, { url: other.url }).expect(200);
  await it.company.test.post(`${it.one}/ping`).expect(200);
  const id = await it.completions.create('5.00');
  await worlds.relay();
  await until('it arrives', () =>
    idsIn(it)
      .concat(other.received.map(({ body }) => body))
      .join()
      .includes(id),
  );
  respond();
  await until('it arrives at the new URL', () => other.received.some(({ body }) => body.includes(id)));
  expect(idsIn(it).join()).not.toContain(id);
  await it.positionReaches(4);
  await other.stop();
});

longTest('a disabled endpoint receives no new event', async () => {
  const it = await worlds.worldWith(2);
  const { respond } = await hangAt(it, 1);
  await it.company.test.post(`${it.one}/disable`, {}).expect(200);
  const id = await it.completions.create('5.00');
  await worlds.relay();
  await until('the session has ended', async () => {
    const { rows } = await service.database.admin.query(
      'SELECT FROM webhook_endpoints WHERE endpoint_id = $1 AND leased_until IS NULL',
      [it.endpointId],
    );
    return rows.length === 1;
  });
  respond();
  expect(idsIn(it).join()).not.toContain(id);
});

test('responses that do not arrive delay only their contributions, and are recorded when they do', async () => {
  const it = await worlds.worldWith(2);
  const { ids, respond } = await hangAt(it, 3);
  for (const id of ids) await it.completions.complete(it.company.test, id).expect(200);
  await it.createAndComplete();
  await worlds.relay();
  // Three deliveries have no response yet, and three wait for them.
  await it.positionReaches(10);
  expect(it.receiver.received).toHaveLength(7);
  const rows = async () =>
    (await service.database.admin.query<{ attempts: number }>('SELECT attempts FROM webhook_retries')).rows;
  expect(await rows()).toEqual(Array.from({ length: 6 }, () => ({ attempts: 0 })));
  // The courier continues with other events.
  await it.createAndComplete();
  await worlds.relay();
  await receives(it.receiver, 9);
  respond();
  await receives(it.receiver, 12);
  await until('all is recorded', async () => (await rows()).length === 0);
  for (const id of ids)
    expect(idsIn(it).filter((one) => one.startsWith(id))).toEqual([
      `${id} contribution.created`,
      `${id} contribution.completed`,
    ]);
  const { body } = await it.company.test.get(`${it.one}/attempts`).expect(200);
  const logged = body.data as { kind: string; outcome: string; event_id: string }[];
  const listed = logged.map(({ kind, outcome }) => `${kind} ${outcome}`).sort();
  // The deliveries that waited in the database are retries. The late ones are first attempts.
  expect(listed).toEqual([
    ...Array<string>(9).fill('first delivered'),
    ...Array<string>(3).fill('retry delivered'),
  ]);
  expect(new Set(logged.map(({ event_id: id }) => id)).size).toBe(12);
});

longTest('retries that hang delay no new event', async () => {
  const it = await worlds.worldWith(2);
  const attempts = new Map<string, number>();
  const bad: string[] = [];
  it.receiver.behave((received, response) => {
    const id = String(received.event.data['transaction_id']);
    if (!bad.includes(id)) accept(received, response, 0);
    else if (attempts.has(id)) attempts.set(id, 2);
    else {
      attempts.set(id, 1);
      response.writeHead(500).end();
    }
  });
  await it.company.test.post(`${it.one}/disable`, {}).expect(200);
  for (let created = 0; created < 5; created += 1) bad.push(await it.completions.create('5.00'));
  await it.createAndComplete();
  await worlds.relay();
  // In one batch, which ends with a success.
  await it.company.test.post(`${it.one}/enable`, {}).expect(200);
  await it.positionReaches(9);
  await it.hurry();
  await until('a retry hangs', () => [...attempts.values()].includes(2));
  const { length } = it.receiver.received;
  await it.createAndComplete();
  await it.createAndComplete();
  await worlds.relay();
  await until('new events arrive', () => it.receiver.received.length >= length + 4, 2_000);
  await it.positionReaches(13);
  expect(await it.endpoint()).toMatchObject({ status: 'enabled', failing_since: null });
});

longTest('410 ends deliveries, also while a response takes long', async () => {
  const it = await worlds.worldWith(2);
  await it.company.test.post(`${it.one}/disable`, {}).expect(200);
  const slow = await it.completions.create('5.00');
  for (let created = 0; created < 30; created += 1) await it.createAndComplete();
  await worlds.relay();
  it.receiver.behave((received, response) => {
    const isSlow = received.event.data['transaction_id'] === slow;
    setTimeout(() => response.writeHead(410).end(), isSlow ? 1_000 : 0);
  });
  await it.company.test.post(`${it.one}/enable`, {}).expect(200);
  await until('it is disabled', async () => (await it.endpoint())['status'] === 'disabled');
  expect(it.receiver.received.length).toBeLessThan(2 + 5);
});
