import { type Courier, startCourier } from '../../src/features/webhooks/courier/courier';
import type { CourierStore } from '../../src/features/webhooks/courier/courier.store';
import type { ClaimedEndpoint, Work } from '../../src/features/webhooks/courier/delivery';
import { createProcessSlots } from '../../src/features/webhooks/courier/process-slots';
import type { SendResult } from '../../src/features/webhooks/sending/sender';
import type { Reliability } from '../../src/features/webhooks/courier/shares';
import { sample } from '../support/full-run';
import { until } from '../support/until';

/**
 * A courier with endpoints that never respond. Nothing here ends by a timeout, so an endpoint that
 * has to wait for one of them waits forever.
 */
const success: SendResult = {
  isSuccess: true,
  status: 204,
  failure: undefined,
  response: undefined,
  retryAfterSeconds: undefined,
  durationMs: 1,
};

interface FakeEndpoint extends Work {
  isDown: boolean;
  pending: number;
  isLeased: boolean;
}

let courier: Courier | undefined;
let release: () => void;
let endpoints: FakeEndpoint[];
let sent: string[];

const endpointsOf = (environmentId: number, count: number, reliability: Reliability, isDown: boolean) => {
  for (let number = 1; number <= count; number += 1)
    endpoints.push({
      environmentId,
      endpointId: `${environmentId}-${endpoints.length}`,
      reliability,
      isDown,
      pending: 100,
      isLeased: false,
    });
};

const claimedOf = ({ environmentId, endpointId, reliability, pending }: FakeEndpoint): ClaimedEndpoint =>
  ({
    environmentId,
    endpointId,
    types: [],
    verifiedAt: new Date(),
    nextProbeAt: null,
    isProbeDue: false,
    position: 100 - pending,
    failureCount: reliability === 'failing' ? 1 : 0,
    failingForSeconds: 0,
    probeCount: 0,
    deliveredAt: reliability === 'untried' ? null : new Date(),
    hasRetries: false,
  }) as unknown as ClaimedEndpoint;

const fakeStore: CourierStore = {
  findWork: (most, provenOnlyOf) =>
    Promise.resolve(
      endpoints
        .filter(({ isLeased, pending }) => !isLeased && pending > 0)
        .filter(
          ({ reliability, environmentId }) =>
            reliability === 'proven' || !provenOnlyOf.includes(environmentId),
        )
        .slice(0, most),
    ),
  claim({ endpointId }) {
    const found = endpoints.find((one) => one.endpointId === endpointId);
    if (!found || found.isLeased) return Promise.resolve(undefined);
    found.isLeased = true;
    return Promise.resolve(claimedOf(found));
  },
  readBatch: ({ endpointId }, position) =>
    Promise.resolve({
      deliveries: Array.from({ length: 100 - position }, (_, place) => ({
        kind: 'first' as const,
        event: {
          eventId: `${endpointId}/${position + place + 1}`,
          sequence: position + place + 1,
          transactionId: `${endpointId}/${position + place + 1}`,
        } as never,
        attempts: 0,
        outageAttempts: 0,
        isBlocked: false,
        hasRetry: false,
      })),
      endsAt: 100,
      hasMore: false,
      isOutdated: false,
    }),
  readDue: () => Promise.resolve({ deliveries: [], missing: [], hasMore: false }),
  record({ endpointId }, { position, continues }) {
    const found = endpoints.find((one) => one.endpointId === endpointId)!;
    found.pending = 100 - position;
    found.isLeased = continues;
    return Promise.resolve(continues);
  },
  release: () => Promise.resolve(),
};

beforeEach(() => {
  endpoints = [];
  sent = [];
  const hanging = new Promise<SendResult>((resolve) => {
    release = () => {
      resolve(success);
    };
  });
  courier = startCourier({
    pollMs: 20,
    store: fakeStore,
    sender: {
      send({ endpointId }) {
        sent.push(endpointId);
        return endpoints.find((one) => one.endpointId === endpointId)!.isDown
          ? hanging
          : Promise.resolve(success);
      },
      isStopped: false,
    },
    messages: { ofEvent: ({ endpointId }: ClaimedEndpoint) => ({ endpointId }) } as never,
    logger: { warn: () => undefined } as never,
    onAttempt: () => undefined,
    takeFault: () => Promise.resolve(undefined),
    onFault: () => undefined,
  });
});
afterEach(async () => {
  release();
  for (const one of endpoints) one.isDown = false;
  await courier?.stop();
});

const sentToOthers = async (count: number): Promise<void> => {
  await until('the endpoints that are down have requests', () => new Set(sent).size >= count);
};

describe.each(['untried', 'failing', 'proven'] as const)(
  'beside 100 %s endpoints that hang',
  (reliability) => {
    test.each(sample(['untried', 'failing', 'proven'] as const, 1))(
      'a healthy %s endpoint of another partner gets all its events',
      async (ofHealthy) => {
        for (let environmentId = 1; environmentId <= 10; environmentId += 1)
          endpointsOf(environmentId, 10, reliability, true);
        await sentToOthers(reliability === 'proven' ? 40 : 100);
        endpointsOf(11, 1, ofHealthy, false);
        await until('its events arrive', () => endpoints.at(-1)!.pending === 0);
      },
    );
  },
);

test('a new endpoint gets all its events while nine endpoints of the same partner hang', async () => {
  endpointsOf(1, 9, 'untried', true);
  await sentToOthers(9);
  endpointsOf(1, 1, 'untried', false);
  await until('its events arrive', () => endpoints.at(-1)!.pending === 0);
});

test('a slot that becomes free goes to the environment with the fewest', async () => {
  const limits = { all: 3, unproven: 3, failing: 3, ofEnvironment: 3, unprovenOfEnvironment: 3 };
  const slots = createProcessSlots(limits);
  const free = await slots.take('proven', 1);
  await slots.take('proven', 1);
  await slots.take('proven', 2);
  const order: number[] = [];
  void slots.take('proven', 1).then(() => order.push(1));
  void slots.take('proven', 2).then(() => order.push(2));
  const last = slots.take('proven', 3).then((freeLast) => {
    order.push(3);
    return freeLast;
  });
  free();
  (await last)();
  await until('two slots were given', () => order.length === 2);
  expect(order).toEqual([3, 1]);
});
