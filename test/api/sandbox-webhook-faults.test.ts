import { Webhook } from 'standardwebhooks';

import { webhookFaultKinds } from '../../src/features/webhooks/courier/webhook-fault.field';
import { addProject } from '../support/catalogue';
import { isFullRun, longTest } from '../support/full-run';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';
import { accept, type Received, respondWith } from '../support/webhook-receiver';
import { createWebhookWorlds, deliversHere, receives, type WebhookWorld } from '../support/webhook-world';
import { verifyDatabase } from '../suites/faults/verify';

/** Faults that a company arms for the deliveries to its own test endpoints. */
const faults = '/company/integration/sandbox/faults';

let service: TestService;
let worlds: ReturnType<typeof createWebhookWorlds>;

beforeAll(async () => {
  service = await startService({ settings: deliversHere, pollMs: 50 });
  worlds = createWebhookWorlds(service);
});
afterEach(() => worlds.end());
afterAll(async () => {
  // A violation stays, so one look after all tests finds it.
  if (isFullRun) expect(await verifyDatabase(service.database.adminUrl)).toEqual([]);
  await service.stop();
});

interface FaultyWorld extends WebhookWorld {
  secret: string;
}

async function world(): Promise<FaultyWorld> {
  const it = await worlds.world();
  const { body } = await it.company.test.post(`${it.one}/rotate-secret`, { overlap_hours: 0 }).expect(200);
  return { ...it, secret: body.secret as string };
}

const arm = ({ company }: WebhookWorld, kind: string, more: object = {}) =>
  company.test.post(faults, { operation: 'deliverWebhook', kind, ...more }).expect(200);
const armed = async ({ company }: WebhookWorld) =>
  (await company.test.get(faults).expect(200)).body.data as Record<string, unknown>[];
const attemptsOf = async ({ company, one }: WebhookWorld) =>
  (await company.test.get(`${one}/attempts`).expect(200)).body.data as Record<string, unknown>[];

/** The reason for which a receiver rejects it. Undefined if it accepts it. */
function refusalOf({ body, headers }: Received, secret: string): string | undefined {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const typesOf = ({ receiver }: WebhookWorld): string[] => receiver.received.map(({ event }) => event.type);

async function createAndRelay(it: WebhookWorld): Promise<string> {
  const id = await it.completions.create('5.00');
  await worlds.relay();
  return id;
}

test('duplicate sends an event twice, and no other', async () => {
  const it = await world();
  await arm(it, 'duplicate');
  await createAndRelay(it);
  await createAndRelay(it);
  await it.positionReaches(2);
  const ids = it.receiver.received.map(({ event }) => event.id);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(2);
  for (const received of it.receiver.received) expect(refusalOf(received, it.secret)).toBeUndefined();
  expect(await armed(it)).toEqual([]);
});

test.each([
  ['bad_signature', /No matching signature found/],
  ['old_timestamp', /Message timestamp too old/],
])('%s sends a faulty copy first, and then the event', async (kind, refusal) => {
  const it = await world();
  it.receiver.behave((received, response, count) => {
    (refusalOf(received, it.secret) === undefined ? accept : respondWith(400))(received, response, count);
  });
  await arm(it, kind);
  await createAndRelay(it);
  await it.positionReaches(1);
  const refusals = it.receiver.received.map((received) => refusalOf(received, it.secret));
  expect(refusals).toEqual([expect.stringMatching(refusal), undefined]);
  // The log shows the response to the copy, which does not count as a failure of the endpoint.
  expect(await attemptsOf(it)).toMatchObject([
    { kind: 'first', outcome: 'delivered', status: 204 },
    { kind: 'fault', outcome: 'failed', status: 400 },
  ]);
  expect(await it.endpoint()).toMatchObject({ status: 'enabled', failing_since: null });
});

test('a receiver that accepts a bad signature is found in the log of attempts', async () => {
  const it = await world();
  await arm(it, 'bad_signature');
  await createAndRelay(it);
  await it.positionReaches(1);
  expect(await attemptsOf(it)).toMatchObject([
    { kind: 'first', outcome: 'delivered', status: 204 },
    { kind: 'fault', outcome: 'delivered', status: 204 },
  ]);
});

test('hold delivers an event later, and later events of its contribution wait', async () => {
  const it = await world();
  await arm(it, 'hold', { delay_ms: 1_000 });
  const held = await it.createAndComplete();
  const other = await it.completions.create('6.00');
  await worlds.relay();
  await receives(it.receiver, 3);
  expect(it.receiver.received.map(({ event }) => [event.type, event.data['transaction_id']])).toEqual([
    ['contribution.created', other],
    ['contribution.created', held],
    ['contribution.completed', held],
  ]);
});

test('reorder delivers an event after later ones of its contribution', async () => {
  const it = await world();
  await arm(it, 'reorder', { delay_ms: 1_000 });
  await it.createAndComplete();
  await worlds.relay();
  await receives(it.receiver, 2);
  expect(typesOf(it)).toEqual(['contribution.completed', 'contribution.created']);
});

longTest('a held event is retried as every other', async () => {
  const it = await world();
  it.receiver.behave((received, response, count) => {
    respondWith(count === 1 ? 500 : 204)(received, response, count);
  });
  await arm(it, 'reorder', { delay_ms: 0 });
  await createAndRelay(it);
  await receives(it.receiver, 1);
  await until('the failure is recorded', async () => (await attemptsOf(it)).length === 1);
  await it.hurry();
  await receives(it.receiver, 2);
  await until('the success is recorded', async () => (await attemptsOf(it)).length === 2);
  expect(await attemptsOf(it)).toMatchObject([
    { kind: 'retry', attempt: 2, outcome: 'delivered' },
    { kind: 'retry', attempt: 1, outcome: 'failed' },
  ]);
});

longTest('the fault hits as many deliveries as it says', async () => {
  const it = await world();
  await arm(it, 'duplicate', { times: 3 });
  for (let count = 0; count < 5; count += 1) await it.completions.create('5.00');
  await worlds.relay();
  await it.positionReaches(5);
  expect(it.receiver.received).toHaveLength(8);
});

test('faults never cross companies or environments, nor outlast a reset', async () => {
  const [it, other] = [await world(), await world()];
  for (const kind of webhookFaultKinds) await arm(it, kind, { times: 100, delay_ms: 0 });
  await createAndRelay(other);
  await other.positionReaches(1);
  expect(other.receiver.received).toHaveLength(1);
  // The service ignores a fault of a production environment, even if the row exists.
  const { body } = await it.company.production
    .post('/company/integration/webhook-endpoints', { url: other.receiver.url })
    .expect(201);
  await it.company.production
    .post(`/company/integration/webhook-endpoints/${body.endpoint_id as string}/ping`)
    .expect(200);
  const before = other.receiver.received.length;
  const order = { project_id: await addProject(service.database.admin), amount: '5.00', user_hash: 'a' };
  await it.company.production.put('/company/integration/contributions/create', order).expect(201);
  await worlds.relay();
  await receives(other.receiver, before + 1);
  expect((await armed(it)).map(({ times_left: left }) => left)).toEqual([100, 100, 100, 100, 100]);
  await it.company.test.post('/company/integration/sandbox/reset', {}).expect(200);
  expect(await armed(it)).toEqual([]);
  await createAndRelay(it);
  await it.positionReaches(1);
  expect(it.receiver.received).toHaveLength(1);
});

test('deliveries reject faults of requests, and requests reject faults of deliveries', async () => {
  const { company } = await world();
  const send = (body: object) => company.test.post(faults, body).expect(400);
  for (const body of [
    { operation: 'deliverWebhook', kind: '503_before' },
    { operation: 'createContribution', kind: 'hold' },
  ])
    expect((await send(body)).body).toMatchObject({ errors: [{ pointer: '/kind' }] });
  const listed = await company.test.post(faults, { operation: 'deliverWebhook', kind: 'hold' }).expect(200);
  expect(listed.body).toMatchObject({ delay_ms: 5_000 });
});
