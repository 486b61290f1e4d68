import { Webhook } from 'standardwebhooks';

import { webhooks } from '../../packages/sdk/src/webhooks';
import { startCourier } from '../../src/features/webhooks/courier/courier';
import { createCourierStore } from '../../src/features/webhooks/courier/courier.store';
import { createDestinations } from '../../src/features/webhooks/sending/destinations';
import { createSender } from '../../src/features/webhooks/sending/sender';
import { senderSettings } from '../../src/features/webhooks/sending/sender-settings';
import { createWebhookMessages } from '../../src/features/webhooks/sending/webhook-message';
import { systemClock } from '../../src/shared/clock';
import { testWebhookKeys } from '../support/assemble-service';
import { createCompletions, type Completions } from '../support/completions';
import { readFeed, relayAll } from '../support/feed';
import { longTest, sample } from '../support/full-run';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import {
  accept,
  hang,
  type Received,
  respondWith,
  startReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver';
import { verifyEndpoint } from '../support/added-endpoint';

/**
 * Deliveries of events to real receivers on this machine: order, failures, outages and killed
 * processes.
 */
const path = '/company/integration/webhook-endpoints';

let service: TestService;
const receivers: WebhookReceiver[] = [];

beforeAll(async () => {
  service = await startService({
    settings: { DELIVERY: 'on', WEBHOOK_DESTINATIONS: 'loopback' },
    pollMs: 50,
  });
});
afterEach(async () => {
  // Endpoints that stay would fail in later tests.
  await service.database.admin.query('DELETE FROM webhook_endpoints');
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
});
afterAll(() => service.stop());

async function receiver(): Promise<WebhookReceiver> {
  const started = await startReceiver();
  receivers.push(started);
  return started;
}

interface World {
  company: TestCompany;
  completions: Completions;
  receiver: WebhookReceiver;
  endpointId: string;
  secret: string;
}

async function createEndpoint(company: TestCompany, url: string, settings: object = {}) {
  const { body } = await company.test.post(path, { url, ...settings }).expect(201);
  await verifyEndpoint(service.database.admin, body.endpoint_id as string);
  return body as { endpoint_id: string; secret: string };
}

async function world(settings: object = {}): Promise<World> {
  const company = await service.addCompany();
  const completions = await createCompletions(service, company);
  const one = await receiver();
  const { endpoint_id: endpointId, secret } = await createEndpoint(company, one.url, settings);
  return { company, completions, receiver: one, endpointId, secret };
}

const relay = () => relayAll(service.database.admin);
const arrived = (one: WebhookReceiver, count: number) =>
  until(`${count} webhooks arrive`, () => one.received.length >= count);
const endpointOf = async ({ company, endpointId }: World) =>
  (await company.test.get(`${path}/${endpointId}`).expect(200)).body as Record<string, unknown>;
/** The attempts except those that succeeded at once. */
const attemptsOf = async ({ company, endpointId }: World) => {
  const { body } = await company.test.get(`${path}/${endpointId}/attempts`).expect(200);
  return (body.data as Record<string, unknown>[]).filter(
    ({ kind, outcome }) => kind !== 'first' || outcome !== 'delivered',
  );
};
const positionReaches = (it: World, sequence: number) =>
  until('the position advances', async () => (await endpointOf(it))['position'] === sequence);

/** Makes all waiting retries and probes due. */
const hurry = (endpointId: string) =>
  service.database.admin.query(
    `WITH retries AS (UPDATE webhook_retries SET next_attempt_at = now() WHERE endpoint_id = $1)
     UPDATE webhook_endpoints SET next_probe_at = now() WHERE endpoint_id = $1 AND next_probe_at IS NOT NULL`,
    [endpointId],
  );

const retriesOf = async ({ endpointId }: World) =>
  (
    await service.database.admin.query<{ attempts: number; outage_attempts: number }>(
      'SELECT attempts, outage_attempts FROM webhook_retries WHERE endpoint_id = $1 ORDER BY sequence',
      [endpointId],
    )
  ).rows;

const createAndComplete = ({ completions }: World): Promise<string> => completions.createCompleted('5.00');

const typesOf = (received: readonly Received[], id: string): string[] =>
  received.filter(({ event }) => event.data['transaction_id'] === id).map(({ event }) => event.type);

test('events arrive signed and in order, with the content of the feed, and without a row for a retry', async () => {
  const it = await world();
  const ids = await Promise.all([1, 2, 3].map(() => createAndComplete(it)));
  await relay();
  await arrived(it.receiver, 6);
  await positionReaches(it, 6);
  const { data } = await readFeed(it.company.test);
  const { received } = it.receiver;
  expect(received.map(({ event }) => event).sort((a, b) => a.sequence - b.sequence)).toEqual(data);
  for (const id of ids)
    expect(typesOf(received, id)).toEqual(['contribution.created', 'contribution.completed']);
  for (const { headers, body, event } of received) {
    new Webhook(it.secret).verify(body, headers as Record<string, string>);
    const verified = await webhooks.verify(body, headers, {
      secret: it.secret,
      expectEnvironment: 'test',
    });
    expect(verified.id).toBe(event.id);
    expect(headers['webhook-id']).toBe(event.id);
    expect(headers['webhook-replayed']).toBeUndefined();
  }
  const { rows } = await service.database.admin.query('SELECT FROM webhook_retries');
  expect(rows).toHaveLength(0);
});

test('after a rotation, both secrets verify', async () => {
  const it = await world();
  const { body } = await it.company.test.post(`${path}/${it.endpointId}/rotate-secret`, {}).expect(200);
  await it.completions.create();
  await relay();
  await arrived(it.receiver, 1);
  const [{ headers, body: sent } = it.receiver.received[0]!] = it.receiver.received;
  for (const secret of [it.secret, body.secret as string])
    new Webhook(secret).verify(sent, headers as Record<string, string>);
});

test('an endpoint receives only its types', async () => {
  const it = await world({ types: ['contribution.completed'] });
  const id = await createAndComplete(it);
  await relay();
  await positionReaches(it, 2);
  expect(it.receiver.received.map(({ event }) => [event.type, event.data['transaction_id']])).toEqual([
    ['contribution.completed', id],
  ]);
});

test('an event whose type the endpoint no longer receives is not retried, and delays no other', async () => {
  const it = await world();
  it.receiver.behave((received, response) => {
    respondWith(received.event.type === 'contribution.created' ? 500 : 204)(received, response, 0);
  });
  const id = await createAndComplete(it);
  await relay();
  await positionReaches(it, 2);
  await service.database.admin.query(
    `UPDATE webhook_retries SET next_attempt_at = now() + interval '10 hours' WHERE endpoint_id = $1 AND attempts > 0`,
    [it.endpointId],
  );
  const before = it.receiver.received.length;
  await it.company.test.patch(`${path}/${it.endpointId}`, { types: ['contribution.completed'] }).expect(200);
  await until('the completion arrives', () =>
    typesOf(it.receiver.received, id).includes('contribution.completed'),
  );
  await until('nothing waits', async () => (await retriesOf(it)).length === 0);
  expect(it.receiver.received.slice(before).map(({ event }) => event.type)).toEqual([
    'contribution.completed',
  ]);
});

test('later events of a contribution wait for a retry, and others do not', async () => {
  const it = await world();
  // The service may relay and deliver the first events before the last ones exist.
  it.receiver.behave((received, response) => {
    const fails = received.event.sequence <= 2;
    respondWith(fails ? 503 : 204, {}, fails ? 'down' : '')(received, response, 0);
  });
  const [first, second] = [await createAndComplete(it), await createAndComplete(it)];
  await relay();
  await positionReaches(it, 4);
  expect(typesOf(it.receiver.received, second)).toEqual(['contribution.created', 'contribution.completed']);
  expect(typesOf(it.receiver.received, first)).toEqual(['contribution.created']);
  expect(await attemptsOf(it)).toMatchObject([
    { kind: 'first', attempt: 1, outcome: 'failed', failure: 'status', status: 503, response: 'down' },
  ]);
  // The other contribution's success shows that no outage caused the failure.
  expect(await retriesOf(it)).toEqual([
    { attempts: 1, outage_attempts: 0 },
    { attempts: 0, outage_attempts: 0 },
  ]);
  it.receiver.behave(accept);
  await hurry(it.endpointId);
  await until('the others follow', () => typesOf(it.receiver.received, first).length === 3);
  expect(typesOf(it.receiver.received, first)).toEqual([
    'contribution.created',
    'contribution.created',
    'contribution.completed',
  ]);
  const ids = it.receiver.received.filter(({ event }) => event.data['transaction_id'] === first);
  expect(ids[0]!.event.id).toBe(ids[1]!.event.id);
  await until('nothing waits', async () => {
    const { rows } = await service.database.admin.query('SELECT FROM webhook_retries');
    return rows.length === 0;
  });
});

longTest(
  'a request that takes long delays only its contribution, and the position waits for it',
  async () => {
    const it = await world();
    await it.completions.create();
    await relay();
    await positionReaches(it, 1);
    const change = (action: string) =>
      it.company.test.post(`${path}/${it.endpointId}/${action}`, {}).expect(200);
    await change('disable');
    // More than one batch.
    const ids: string[] = [];
    for (let count = 0; count < 60; count += 1) ids.push(await createAndComplete(it));
    await relay();
    let respond = (): void => undefined;
    it.receiver.behave((received, response) => {
      if (received.event.sequence !== 2) accept(received, response, 0);
      else respond = () => response.writeHead(204).end();
    });
    await change('enable');
    // All but the second event of the slow contribution.
    await arrived(it.receiver, 120);
    expect(typesOf(it.receiver.received, ids[0]!)).toEqual(['contribution.created']);
    // A batch that takes longer than two seconds, as on a slow machine, adds a row for each.
    if ((await endpointOf(it))['position'] !== 1) {
      const { rows } = await service.database.admin.query(
        'SELECT FROM webhook_retries WHERE transaction_id = $1',
        [ids[0]],
      );
      expect(rows).toHaveLength(2);
    }
    respond();
    await positionReaches(it, 121);
    await until('nothing waits', async () => (await retriesOf(it)).length === 0);
    expect(typesOf(it.receiver.received, ids[0]!)).toEqual([
      'contribution.created',
      'contribution.completed',
    ]);
    expect(it.receiver.received).toHaveLength(121);
  },
);

/** Makes the next attempt of failed events their last one. */
const beforeLastAttempt = ({ endpointId }: World) =>
  service.database.admin.query(
    'UPDATE webhook_retries SET attempts = 11, outage_attempts = 0 WHERE endpoint_id = $1 AND attempts = 1',
    [endpointId],
  );

test('an event is given up after the last attempt, and the next event of its contribution follows', async () => {
  const it = await world();
  const id = await createAndComplete(it);
  it.receiver.behave((received, response) => {
    respondWith(received.event.type === 'contribution.created' ? 500 : 204)(received, response, 0);
  });
  await relay();
  await positionReaches(it, 2);
  await beforeLastAttempt(it);
  await hurry(it.endpointId);
  await until('the last attempt is recorded', async () => (await attemptsOf(it)).length === 2);
  // Until another event is delivered, the failure may be the first one of an outage.
  expect((await retriesOf(it))[0]).toEqual({ attempts: 12, outage_attempts: 1 });
  it.receiver.behave((received, response) => {
    const fails = received.event.type === 'contribution.created' && received.event.sequence === 1;
    respondWith(fails ? 500 : 204)(received, response, 0);
  });
  await it.completions.create();
  await relay();
  await positionReaches(it, 3);
  expect((await retriesOf(it))[0]).toEqual({ attempts: 12, outage_attempts: 0 });
  await hurry(it.endpointId);
  await until('the completion arrives', () =>
    typesOf(it.receiver.received, id).includes('contribution.completed'),
  );
  await until('all is recorded', async () => (await retriesOf(it)).length === 0);
  const outcomes = (await attemptsOf(it)).map(({ outcome, attempt }) => [outcome, attempt]);
  expect(outcomes).toEqual(
    expect.arrayContaining([
      ['failed', 1],
      ['failed', 12],
      ['exhausted', 13],
      ['delivered', 1],
    ]),
  );
});

longTest('the last attempt of an event does not count during the first failures of an outage', async () => {
  const it = await world();
  const id = await it.completions.create();
  it.receiver.behave(respondWith(503));
  await relay();
  await positionReaches(it, 1);
  await beforeLastAttempt(it);
  await hurry(it.endpointId);
  await until('it is recorded', async () => (await attemptsOf(it)).length === 2);
  for (let count = 0; count < 12; count += 1) await it.completions.create();
  await relay();
  await until('deliveries stop', async () => (await endpointOf(it))['status'] === 'failing');
  await service.database.admin.query(
    `UPDATE webhook_endpoints SET failing_since = now() - interval '2 minutes' WHERE endpoint_id = $1`,
    [it.endpointId],
  );
  it.receiver.behave(accept);
  await hurry(it.endpointId);
  await positionReaches(it, 13);
  await until('the backlog drains', async () => (await retriesOf(it)).length === 0);
  expect(typesOf(it.receiver.received, id)).toHaveLength(3);
  expect((await attemptsOf(it)).filter(({ outcome }) => outcome === 'exhausted')).toEqual([]);
});

test('a redirect is not followed', async () => {
  const it = await world();
  const target = await receiver();
  it.receiver.behave(respondWith(307, { location: target.url }));
  await it.completions.create();
  await relay();
  await until('it failed', async () => (await attemptsOf(it)).length === 1);
  expect(await attemptsOf(it)).toMatchObject([{ status: 307, outcome: 'failed' }]);
  expect(target.received).toEqual([]);
});

test('410 disables the endpoint', async () => {
  const it = await world();
  it.receiver.behave(respondWith(410));
  await it.completions.create();
  await relay();
  await until('it is disabled', async () => (await endpointOf(it))['status'] === 'disabled');
  expect(await endpointOf(it)).toMatchObject({ disabled_reason: 'gone' });
});

test('an outage stops deliveries, uses up no attempts, and its backlog drains in order', async () => {
  const it = await world();
  it.receiver.behave(respondWith(503));
  const ids: string[] = [];
  for (let count = 0; count < 12; count += 1) ids.push(await it.completions.create());
  await relay();
  await until('deliveries stop', async () => (await endpointOf(it))['status'] === 'failing');
  await service.database.admin.query(
    `UPDATE webhook_endpoints SET failing_since = now() - interval '2 minutes' WHERE endpoint_id = $1`,
    [it.endpointId],
  );
  const before = it.receiver.received.length;
  for (const probe of [1, 2]) {
    await hurry(it.endpointId);
    await until('a probe arrives', () => it.receiver.received.length === before + probe);
    await until('it is recorded', async () => {
      const next = String((await endpointOf(it))['next_attempt_at']);
      return Date.parse(next) > Date.now() + 10_000;
    });
  }
  for (const id of ids) await it.completions.complete(it.company.test, id).expect(200);
  await relay();
  it.receiver.behave(accept);
  await hurry(it.endpointId);
  await positionReaches(it, 24);
  await until('the backlog drains', async () => {
    const { rows } = await service.database.admin.query('SELECT FROM webhook_retries');
    return rows.length === 0;
  });
  for (const id of ids) {
    const types = typesOf(it.receiver.received, id);
    expect(types.at(-1)).toBe('contribution.completed');
    expect(types.filter((type) => type === 'contribution.completed')).toHaveLength(1);
  }
  expect(await endpointOf(it)).toMatchObject({ status: 'enabled', failing_since: null });
});

test('an endpoint that failed for 5 days is disabled, and delivery continues after it is enabled', async () => {
  const it = await world();
  it.receiver.behave(respondWith(500));
  await it.company.test.post(`${path}/${it.endpointId}/disable`).expect(200);
  await it.completions.create();
  await it.completions.create();
  await relay();
  await service.database.admin.query(
    `UPDATE webhook_endpoints SET disabled_at = NULL, disabled_reason = NULL, failure_count = 20, failing_since = now() - interval '121 hours', probe_count = 9,
            next_probe_at = now() WHERE endpoint_id = $1`,
    [it.endpointId],
  );
  await until('it is disabled', async () => (await endpointOf(it))['status'] === 'disabled');
  expect(await endpointOf(it)).toMatchObject({ disabled_reason: 'failing', position: 0 });
  it.receiver.behave(accept);
  await it.company.test.post(`${path}/${it.endpointId}/enable`).expect(200);
  // The notice that it was disabled may be in the feed already. The endpoint does not receive it.
  await until('the position advances', async () => Number((await endpointOf(it))['position']) >= 2);
  expect(it.receiver.received).toHaveLength(3);
});

test('after an endpoint is enabled, retries are due at once and the attempts of the outage do not count', async () => {
  const it = await world();
  it.receiver.behave(respondWith(503));
  await it.completions.create();
  await relay();
  await until('it failed', async () => (await attemptsOf(it)).length === 1);
  await it.company.test.post(`${path}/${it.endpointId}/disable`).expect(200);
  await service.database.admin.query(
    `UPDATE webhook_retries SET attempts = 11, outage_attempts = 11, next_attempt_at = now() + interval '1 day' WHERE endpoint_id = $1`,
    [it.endpointId],
  );
  it.receiver.behave(accept);
  await it.company.test.post(`${path}/${it.endpointId}/enable`).expect(200);
  await until('the retry arrives', () => it.receiver.received.length === 2);
  await until('it is recorded', async () => (await attemptsOf(it)).length === 2);
  expect((await attemptsOf(it))[0]).toMatchObject({ kind: 'retry', attempt: 1, outcome: 'delivered' });
});

longTest('a receiver that never responds delays no other endpoint', async () => {
  const it = await world();
  const dead = await receiver();
  dead.behave(hang);
  const { endpoint_id: endpointId } = await createEndpoint(it.company, dead.url);
  await createAndComplete(it);
  await relay();
  await arrived(it.receiver, 2);
  await until('the other got one', () => dead.received.length === 1);
  // Its attempt, which ends after ten seconds, still runs.
  expect(await attemptsOf({ ...it, endpointId })).toEqual([]);
});

test('a production endpoint receives nothing until a ping succeeds', async () => {
  const it = await world();
  const { production } = it.company;
  const { body } = await production.post(path, { url: it.receiver.url }).expect(201);
  const one = `${path}/${body.endpoint_id as string}`;
  it.receiver.behave(respondWith(400, {}, 'unknown host'));
  const failed = await production.post(`${one}/ping`).expect(200);
  expect(failed.body).toMatchObject({
    kind: 'ping',
    outcome: 'failed',
    status: 400,
    response: 'unknown host',
  });
  expect((await production.get(one).expect(200)).body.status).toBe('unverified');
  it.receiver.behave(accept);
  await until(
    'the host is free',
    async () => (await production.post(`${one}/ping`)).body.outcome === 'delivered',
  );
  expect((await production.get(one).expect(200)).body.status).toBe('enabled');
  const [, { body: sent, headers } = it.receiver.received[0]!] = it.receiver.received;
  const options = { secret: body.secret as string, expectEnvironment: 'production' } as const;
  const ping = await webhooks.verify(sent, headers, options);
  expect(ping.type).toBe('ping');
  const log = (await production.get(`${one}/attempts`).expect(200)).body.data as { event_id: string }[];
  expect(log).toHaveLength(2);
  const filtered = await production.get(`${one}/attempts?event_id=${ping.id}`).expect(200);
  expect(filtered.body.data).toHaveLength(1);
});

test('a ping to an earlier URL does not verify the endpoint', async () => {
  const it = await world();
  const { production } = it.company;
  const { body } = await production.post(path, { url: it.receiver.url }).expect(201);
  const one = `${path}/${body.endpoint_id as string}`;
  let release: () => void = () => undefined;
  it.receiver.behave((received, response, count) => {
    release = () => {
      accept(received, response, count);
    };
  });
  const ping = production.post(`${one}/ping`).expect(200);
  const pinged = ping.then((response) => response);
  await arrived(it.receiver, 1);
  await production.patch(one, { url: `${it.receiver.url}/other` }).expect(200);
  release();
  await pinged;
  expect((await production.get(one).expect(200)).body.status).toBe('unverified');
});

test('a resend repeats an event with its id and body, and says so', async () => {
  const it = await world();
  await it.completions.create();
  await relay();
  await arrived(it.receiver, 1);
  const [first] = it.receiver.received;
  const resent = await it.company.test
    .post(`${path}/${it.endpointId}/events/${first!.event.id}/resend`)
    .expect(200);
  expect(resent.body).toMatchObject({ kind: 'resend', outcome: 'delivered', event_id: first!.event.id });
  const [, second] = it.receiver.received;
  expect(second!.body).toBe(first!.body);
  expect(second!.headers).toMatchObject({ 'webhook-id': first!.event.id, 'webhook-replayed': 'true' });
});

test('two processes share the endpoints, and deliver no event twice', async () => {
  const it = await world();
  const other = await startService({
    database: service.database,
    settings: { DELIVERY: 'on', WEBHOOK_DESTINATIONS: 'loopback' },
  });
  for (let count = 0; count < 15; count += 1) await it.completions.create();
  await relay();
  await positionReaches(it, 15);
  await other.stop();
  expect(it.receiver.received.map(({ event }) => event.sequence).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 15 }, (_, index) => index + 1),
  );
});

/** A contribution whose first event has failed once. The receiver rejects all events. */
async function worldWithFailure(): Promise<World> {
  const it = await world();
  it.receiver.behave(respondWith(500));
  await it.completions.create('5.00');
  await relay();
  await until('the failure is recorded', async () => (await attemptsOf(it)).length > 0);
  return it;
}

longTest('a failing endpoint is attempted at once under another URL, after a ping', async () => {
  const it = await worldWithFailure();
  await service.database.admin.query(
    `WITH retries AS (UPDATE webhook_retries SET next_attempt_at = now() + interval '1 day' WHERE endpoint_id = $1)
     UPDATE webhook_endpoints SET failure_count = 10, failing_since = now() - interval '1 hour',
            next_probe_at = now() + interval '1 hour' WHERE endpoint_id = $1`,
    [it.endpointId],
  );
  await it.completions.create('6.00');
  await relay();
  const moved = await receiver();
  const { body } = await it.company.test.patch(`${path}/${it.endpointId}`, { url: moved.url }).expect(200);
  expect(body).toMatchObject({ url: moved.url, status: 'unverified', failing_since: null });
  await it.company.test.post(`${path}/${it.endpointId}/ping`).expect(200);
  await arrived(moved, 3);
  expect(new Set(moved.received.map(({ event }) => event.sequence))).toEqual(new Set([undefined, 1, 2]));
});

test.each(
  sample(
    [
      [9, 'another URL'],
      [12, 'another URL'],
      [9, 'enabled again'],
    ],
    1,
  ),
)('a failure of attempt %i from before the change does not count: %s', async (attempts, change) => {
  const it = await worldWithFailure();
  await service.database.admin.query(
    'UPDATE webhook_retries SET attempts = $2, outage_attempts = 0 WHERE endpoint_id = $1',
    [it.endpointId, attempts],
  );
  const moved = await receiver();
  let fail: (() => void) | undefined;
  it.receiver.behave((received, response) => {
    fail = () => {
      respondWith(500)(received, response, 0);
    };
  });
  await hurry(it.endpointId);
  await until('the attempt is in progress', () => fail !== undefined);
  await (change === 'another URL'
    ? it.company.test.patch(`${path}/${it.endpointId}`, { url: moved.url }).expect(200)
    : it.company.test.post(`${path}/${it.endpointId}/enable`).expect(200));
  await verifyEndpoint(service.database.admin, it.endpointId);
  it.receiver.behave(accept);
  fail?.();
  const next = change === 'another URL' ? moved : it.receiver;
  await until('it arrives', () => next.received.length === (next === moved ? 1 : 3));
  await until('it is recorded', async () => (await retriesOf(it)).length === 0);
});

longTest(
  'a failing endpoint recovers after the partner unsubscribes from the type that it rejects',
  async () => {
    const it = await world();
    it.receiver.behave((received, response, status) => {
      const isRejected = received.event.type === 'contribution.created';
      (isRejected ? respondWith(500) : accept)(received, response, status);
    });
    const ids: string[] = [];
    for (let count = 0; count < 12; count += 1) ids.push(await it.completions.create());
    await relay();
    await until('deliveries stop', async () => (await endpointOf(it))['status'] === 'failing');
    await it.company.test
      .patch(`${path}/${it.endpointId}`, { types: ['contribution.completed'] })
      .expect(200);
    await service.database.admin.query(
      `UPDATE webhook_endpoints SET failing_since = now() - interval '2 hours', probe_count = 5, next_probe_at = now()
      WHERE endpoint_id = $1`,
      [it.endpointId],
    );
    await until('the retries of the type end', async () => (await retriesOf(it)).length === 0);
    const { rows } = await service.database.admin.query(
      'SELECT probe_count, notice_count FROM webhook_endpoints WHERE endpoint_id = $1',
      [it.endpointId],
    );
    // No attempt was made since the change, so nothing has failed again.
    expect(rows).toEqual([{ probe_count: 5, notice_count: 0 }]);
    const next = String((await endpointOf(it))['next_attempt_at']);
    expect(Date.parse(next)).toBeLessThanOrEqual(Date.now() + 31_000);
    const [first = ''] = ids;
    await it.completions.complete(it.company.test, first).expect(200);
    await relay();
    await hurry(it.endpointId);
    await until('it arrives', () => typesOf(it.receiver.received, first).includes('contribution.completed'));
    await until('it recovers', async () => (await endpointOf(it))['status'] === 'enabled');
  },
);

longTest('the same URL again does not hide failures', async () => {
  const it = await world();
  await service.database.admin.query(
    `UPDATE webhook_endpoints SET failure_count = 10, failing_since = now(), next_probe_at = now() + interval '1 hour'
      WHERE endpoint_id = $1`,
    [it.endpointId],
  );
  await it.company.test.patch(`${path}/${it.endpointId}`, { url: it.receiver.url }).expect(200);
  expect(await endpointOf(it)).toMatchObject({ status: 'failing' });
});

describe('a courier that is killed', () => {
  /** A courier whose database connection ends before the statement with this number. */
  function startDoomed(killedAt: number) {
    let count = 0;
    let isDead = false;
    const { database } = service.container;
    const store = createCourierStore({
      run: (...parameters) => {
        count += 1;
        isDead ||= count >= killedAt;
        return isDead ? new Promise(() => undefined) : database.run(...parameters);
      },
    });
    const sender = createSender(createDestinations(true), senderSettings);
    const courier = startCourier({
      store,
      sender,
      messages: createWebhookMessages(testWebhookKeys, systemClock),
      logger: service.logger,
      onAttempt: () => undefined,
      takeFault: () => Promise.resolve(undefined),
      onFault: () => undefined,
      pollMs: 50,
    });
    return { isDead: () => isDead, stop: () => courier.stop() };
  }

  test('before any of its statements loses no event, and repeats only with the same id', async () => {
    const quiet = await startService({ settings: { WEBHOOK_DESTINATIONS: 'loopback' } });
    const live = service;
    service = quiet;
    try {
      const it = await world();
      it.receiver.behave((received, response, count) => {
        respondWith(count % 5 === 0 ? 503 : 204)(received, response, count);
      });
      const statements = sample([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 2);
      for (const killedAt of statements) {
        for (let count = 0; count < 3; count += 1) await createAndComplete(it);
        await relay();
        await hurry(it.endpointId);
        const doomed = startDoomed(killedAt);
        await until('it dies', doomed.isDead);
        // The lease of the killed process ends.
        await quiet.database.admin.query(
          `UPDATE webhook_endpoints SET leased_until = NULL WHERE endpoint_id = $1`,
          [it.endpointId],
        );
      }
      it.receiver.behave(accept);
      await hurry(it.endpointId);
      const last = startDoomed(Infinity);
      await positionReaches(it, statements.length * 6);
      await until('nothing waits', async () => {
        await hurry(it.endpointId);
        const { rows } = await quiet.database.admin.query('SELECT FROM webhook_retries');
        return rows.length === 0;
      });
      await last.stop();
      expect(last.isDead()).toBe(false);
      const { data } = await readFeed(it.company.test);
      const bodies = new Map<string, Set<string>>();
      for (const { event, body } of it.receiver.received)
        bodies.set(event.id, (bodies.get(event.id) ?? new Set()).add(body));
      expect([...bodies.keys()].sort()).toEqual(data.map(({ id }) => id).sort());
      expect([...bodies.values()].every((different) => different.size === 1)).toBe(true);
    } finally {
      service = live;
      await quiet.stop();
    }
  });
});
