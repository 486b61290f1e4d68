import { type Courier, startCourier } from '../../src/features/webhooks/courier/courier';
import type { CourierStore } from '../../src/features/webhooks/courier/courier.store';
import type { ClaimedEndpoint, Delivery } from '../../src/features/webhooks/courier/delivery';
import type { SendResult } from '../../src/features/webhooks/sending/sender';
import type { RecordedBatch } from '../../src/features/webhooks/courier/recorded-batch';
import { until } from '../support/until';

/** How a session with one endpoint ends. The database and the receiver are in memory. */
const resultOf = (status: number): SendResult => ({
  isSuccess: status < 300,
  status,
  failure: status < 300 ? undefined : 'status',
  response: undefined,
  retryAfterSeconds: undefined,
  durationMs: 1,
});

/** An endpoint with one contribution per event. */
function createWorld(feed: number) {
  const world = {
    endpoint: {
      ...{
        environmentId: 1,
        endpointId: 'endpoint',
        types: [],
        verifiedAt: new Date(),
        deliveredAt: new Date(),
      },
      ...{ nextProbeAt: null, isProbeDue: false, position: 0, failureCount: 0, failingForSeconds: 0 },
      ...{ probeCount: 0, noticeCount: 0, hasRetries: false },
    } as unknown as ClaimedEndpoint,
    feed,
    isLeased: false,
    claims: 0,
    sent: [] as string[],
    recorded: [] as RecordedBatch[],
    released: [] as string[],
    due: [] as Delivery[],
    /** Requests without a response, by event. */
    open: new Map<string, (status: number) => void>(),
    hangs: new Set<string>(),
    /** Called before each query. */
    onQuery: (() => undefined) as (name: string) => void,
    respond: (): number => 204,
  };
  return world;
}
type World = ReturnType<typeof createWorld>;

const deliveryOf = (kind: Delivery['kind'], sequence: number): Delivery => ({
  kind,
  event: { eventId: `e${sequence}`, sequence, transactionId: `c${sequence}` } as never,
  attempts: kind === 'retry' ? 1 : 0,
  outageAttempts: 0,
  isBlocked: false,
  hasRetry: kind === 'retry',
});

function storeOf(world: World): CourierStore {
  const query = async (name: string): Promise<void> => {
    await Promise.resolve();
    world.onQuery(name);
  };
  return {
    async findWork() {
      await query('findWork');
      const hasWork = world.endpoint.position < world.feed || world.due.length > 0;
      const { disabledAt, nextProbeAt } = world.endpoint;
      return hasWork && !world.isLeased && !disabledAt && nextProbeAt === null
        ? [{ environmentId: 1, endpointId: 'endpoint', reliability: 'proven' }]
        : [];
    },
    async claim(_work, leaseId) {
      world.claims += 1;
      world.isLeased = true;
      await query('claim');
      return { ...world.endpoint, leaseId, hasRetries: world.due.length > 0 };
    },
    async readBatch(_endpoint, position, most) {
      await query('readBatch');
      const count = Math.min(most, world.feed - position);
      return {
        deliveries: Array.from({ length: count }, (_, index) => deliveryOf('first', position + index + 1)),
        endsAt: position + count,
        hasMore: position + count < world.feed,
        isOutdated: false,
      };
    },
    async readDue() {
      await query('readDue');
      return { deliveries: world.due.slice(), missing: [], hasMore: false };
    },
    async record(_endpoint, batch) {
      await query('record');
      world.recorded.push(batch);
      world.endpoint.position = batch.position;
      if (batch.health)
        world.endpoint.nextProbeAt = batch.health.next_probe_seconds === null ? null : new Date();
      if (batch.disabled_reason) world.endpoint.disabledAt = new Date();
      world.due = world.due.filter(({ event }) => !batch.removed.includes(event.eventId));
      world.isLeased = batch.continues && batch.disabled_reason === null;
      return world.isLeased;
    },
    async release({ leaseId }) {
      await query('release');
      world.released.push(leaseId);
      world.isLeased = false;
    },
  };
}

let courier: Courier | undefined;
function start(world: World): void {
  courier = startCourier({
    pollMs: 20,
    store: storeOf(world),
    sender: {
      send({ eventId }: { eventId: string }) {
        world.sent.push(eventId);
        if (!world.hangs.has(eventId)) return Promise.resolve(resultOf(world.respond()));
        return new Promise((resolve) => {
          world.open.set(eventId, (status) => {
            world.open.delete(eventId);
            resolve(resultOf(status));
          });
        });
      },
      isStopped: false,
    } as never,
    messages: { ofEvent: (_endpoint: unknown, { eventId }: { eventId: string }) => ({ eventId }) } as never,
    logger: { warn: () => undefined } as never,
    onAttempt: () => undefined,
    takeFault: () => Promise.resolve(undefined),
    onFault: () => undefined,
  });
}
afterEach(() => courier?.stop());

/** Fails the next of these queries. */
function failOnce(world: World, name: string): void {
  let hasFailed = false;
  world.onQuery = (one) => {
    if (one !== name || hasFailed) return;
    hasFailed = true;
    throw new Error('the database is not available');
  };
}

test.each(['claim', 'readBatch', 'record'])(
  'after an error of the database in %s, the endpoint is served again at once',
  async (name) => {
    const world = createWorld(3);
    failOnce(world, name);
    start(world);
    await until('all is recorded', () => world.endpoint.position === 3);
    expect([world.claims, world.released.length]).toEqual([2, 1]);
  },
);

test('the session releases the endpoint when the database is available again', async () => {
  const world = createWorld(3);
  let failures = 0;
  world.onQuery = (name) => {
    if ((name === 'record' && failures === 0) || (name === 'release' && failures < 3)) {
      failures += 1;
      throw new Error('the database is not available');
    }
  };
  start(world);
  await until('all is recorded', () => world.endpoint.position === 3);
  expect(failures).toBe(3);
});

test('after an error, nobody else gets the endpoint while a request has no response', async () => {
  const world = createWorld(3);
  world.hangs.add('e1');
  failOnce(world, 'record');
  start(world);
  await until('the request is late', () => world.sent.length >= 3);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect([world.released.length, world.claims]).toEqual([0, 1]);
  world.hangs.clear();
  world.open.get('e1')!(204);
  await until('all is recorded', () => world.endpoint.position === 3);
  expect(world.claims).toBe(2);
});

test('after a repeated error, the endpoint is paused', async () => {
  const world = createWorld(3);
  world.onQuery = (name) => {
    if (name === 'record') throw new Error('it cannot be recorded');
  };
  start(world);
  await until('the second session has begun', () => world.claims === 2);
  const secondAt = performance.now();
  await until('the third session has begun', () => world.claims === 3);
  expect(performance.now() - secondAt).toBeGreaterThan(1_500);
});

test('when an outage stops deliveries, the results of late requests are recorded', async () => {
  const world = createWorld(14);
  world.hangs.add('e1');
  world.respond = () => 503;
  start(world);
  await until('deliveries stop', () => world.recorded.length > 0);
  const [first] = world.recorded;
  expect(first!.health).toMatchObject({ next_probe_seconds: expect.any(Number) });
  expect(first!.postponed).toContainEqual(expect.objectContaining({ event_id: 'e1', attempts: 0 }));
  const { length } = world.sent;
  world.open.get('e1')!(204);
  await until('it is recorded', () => world.recorded.some(({ removed }) => removed.includes('e1')));
  // The next probe decides whether the outage is over.
  const last = world.recorded.at(-1)!;
  expect(last).toMatchObject({ health: null, continues: false, ends_failures: false, ends_outage: false });
  expect(world.sent).toHaveLength(length);
});

test('a late retry is not attempted by another session', async () => {
  const world = createWorld(2);
  world.due = [deliveryOf('retry', 7)];
  world.hangs.add('e7');
  start(world);
  await until('the batch is recorded', () => world.recorded.length > 0);
  const [{ rescheduled }] = world.recorded as [RecordedBatch];
  expect(rescheduled).toEqual([{ event_id: 'e7', wait_seconds: 30, attempts: 0, outage_attempts: 0 }]);
  world.open.get('e7')!(204);
  await until('it is recorded', () => world.due.length === 0);
});

test('a late 410 ends the batch in progress', async () => {
  const world = createWorld(2);
  world.hangs = new Set(['e1', 'e2']);
  start(world);
  await until('the first batch is recorded', () => world.recorded.length > 0);
  world.open.get('e1')!(410);
  // The session continues with new events.
  await Promise.resolve();
  world.feed = 5_000;
  await until('it is disabled', () => world.endpoint.disabledAt instanceof Date);
  expect(world.sent.length).toBeLessThan(10);
});
