import type { ServerResponse } from 'node:http';

import { startService, type TestService } from '../support/service';
import { until } from '../support/until';
import { accept, startReceiver } from '../support/webhook-receiver';
import { createWebhookWorlds, deliversHere, receives, type WebhookWorld } from '../support/webhook-world';

/** Other events, and changes of the endpoint, while a receiver is slow to respond. */
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

test('a filter that is widened meanwhile hides no later event', async () => {
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
});

test('after a move, new events go to the new URL', async () => {
  const it = await worlds.worldWith(2);
  const { respond } = await hangAt(it, 1);
  const other = await startReceiver();
  await it.company.test.patch(it.one, { url: other.url }).expect(200);
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

test('a disabled endpoint receives no new event', async () => {
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
  // Three of them were not responded to, and three wait for these.
  await it.positionReaches(10);
  expect(it.receiver.received).toHaveLength(7);
  const rows = async () =>
    (await service.database.admin.query<{ attempts: number }>('SELECT attempts FROM webhook_retries')).rows;
  expect(await rows()).toEqual(Array.from({ length: 6 }, () => ({ attempts: 0 })));
  // The courier goes on.
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
  // What waited in the database is logged.
  const logged = body.data as { kind: string; outcome: string }[];
  expect(logged.map(({ kind, outcome }) => [kind, outcome])).toEqual(
    Array.from({ length: 3 }, () => ['retry', 'delivered']),
  );
});
