import type { AttemptResult, Delivery } from '../../src/features/webhooks/courier/delivery';
import { createLateAttempts } from '../../src/features/webhooks/attempts/late-attempts';
import { type DeliveryOptions, deliverInOrder } from '../../src/features/webhooks/courier/ordered-deliveries';
import { createPermits } from '../../src/features/webhooks/requests/permits';
import { until } from '../support/until';

/** The deliveries of one batch. Some responses are late. `A2` is contribution A's second event. */
const result = (isSuccess: boolean) => ({ isSuccess, durationMs: 1 }) as AttemptResult;
const deliveryOf = (name: string, isBlocked = false) =>
  ({
    kind: 'first',
    event: { eventId: name, transactionId: name[0] },
    attempts: 0,
    isBlocked,
    hasRetry: false,
  }) as Delivery;
const deliveriesOf = (names: string) => names.split(' ').map((name) => deliveryOf(name));
const permitsOf = (most: number) => {
  const permits = createPermits(() => most);
  return () => permits;
};
const nameOf = ({ event }: Delivery) => event.eventId;

let started: string[];
/** An error means that the attempt could not be made. */
let responses: Map<string, (outcome: boolean | Error) => void>;
let isOver: boolean;
beforeEach(() => {
  started = [];
  responses = new Map();
  isOver = false;
});

/** Names of deliveries that wait for `responses`; the others succeed at once. */
function deliver(names: string, hanging: string, changes: Partial<DeliveryOptions> = {}) {
  const hangs = new Set(hanging.split(' '));
  return deliverInOrder(deliveriesOf(names), {
    attempt(delivery) {
      const name = nameOf(delivery);
      started.push(name);
      if (!hangs.has(name)) return Promise.resolve(result(true));
      return new Promise((resolve, reject) => {
        responses.set(name, (outcome) => {
          if (outcome instanceof Error) reject(outcome);
          else resolve(result(outcome));
        });
      });
    },
    takeSlot: () => Promise.resolve(() => undefined),
    permitsFor: permitsOf(4),
    isOver: () => isOver,
    isAborted: () => false,
    ...changes,
  });
}
const startedAll = (names: string) =>
  until(`${names} have started`, () => names.split(' ').every((name) => started.includes(name)));

test('a delivery that takes long delays only those of its contribution', async () => {
  const delivering = deliver('A1 A2 B1 B2 C1 A3 D1', 'A1');
  await startedAll('A1 B1 B2 C1 D1');
  expect(started).not.toContain('A2');
  responses.get('A1')!(true);
  const { attempted, blocked, handled } = await delivering;
  expect(started.filter((name) => name.startsWith('A'))).toEqual(['A1', 'A2', 'A3']);
  expect([attempted.length, blocked.length, handled]).toEqual([7, 0, 7]);
});

test('after a failure, later ones of its contribution are blocked, and others are not', async () => {
  const delivering = deliver('A1 A2 B1 A3', 'A1');
  await startedAll('A1 B1');
  responses.get('A1')!(false);
  const { attempted, blocked, handled } = await delivering;
  expect(attempted.map(({ delivery }) => nameOf(delivery))).toEqual(['B1', 'A1']);
  expect(blocked.map(nameOf)).toEqual(['A2', 'A3']);
  expect(handled).toBe(4);
});

test('behind one that the database has blocked, later ones of its contribution are blocked', async () => {
  const delivering = deliverInOrder([deliveryOf('A2', true), deliveryOf('A3'), deliveryOf('B1')], {
    attempt: () => Promise.resolve(result(true)),
    takeSlot: () => Promise.resolve(() => undefined),
    permitsFor: permitsOf(4),
    isOver: () => false,
    isAborted: () => false,
  });
  expect((await delivering).blocked.map(nameOf)).toEqual(['A2', 'A3']);
});

test('when the batch ends, deliveries that wait for an earlier one are blocked, and the rest stay unfinished', async () => {
  const delivering = deliver('A1 A2 B1 A3 C1', 'A1 B1', { permitsFor: permitsOf(2) });
  await startedAll('A1 B1');
  isOver = true;
  responses.get('A1')!(true);
  responses.get('B1')!(true);
  const { attempted, blocked, handled } = await delivering;
  expect(attempted.map(({ delivery }) => nameOf(delivery))).toEqual(['A1', 'B1']);
  expect(blocked.map(nameOf)).toEqual(['A2', 'A3']);
  expect(handled).toBe(4);
});

test('no more deliveries than permitted are in progress', async () => {
  const delivering = deliver('A1 B1 C1 D1 E1 A2', 'A1 B1 C1 D1 E1', { permitsFor: permitsOf(3) });
  await startedAll('A1 B1 C1');
  expect(started).toHaveLength(3);
  responses.get('B1')!(true);
  await startedAll('D1');
  expect(started).toHaveLength(4);
  for (const name of ['A1', 'C1', 'D1']) responses.get(name)!(true);
  await startedAll('E1 A2');
  responses.get('E1')!(true);
  expect((await delivering).attempted).toHaveLength(6);
});

test('the batch grows while some deliveries are in progress', async () => {
  const further = [deliveriesOf('B2 A2 C1'), deliveriesOf('D1')];
  const delivering = deliver('A1 B1', 'A1', {
    async readMore(ended) {
      const more = further.shift();
      if (more) return more;
      await ended;
      return [];
    },
  });
  await startedAll('B1 B2 C1 D1');
  expect(started).not.toContain('A2');
  responses.get('A1')!(true);
  const { attempted, handled } = await delivering;
  expect([attempted.length, handled]).toEqual([6, 6]);
});

test.each([
  ['ended before the others', 'B1', 'A1 B1'],
  ['was the only one', 'none', 'A1'],
])(
  'an attempt that could not be made, and %s, ends the batch without an outcome',
  async (_when, hanging, all) => {
    const broken = new Error('the database is not available');
    const delivering = deliver(`${all} A2`, all, {
      async readMore(ended) {
        await ended;
        return [];
      },
    });
    const outcome = delivering.catch((error: unknown) => error);
    await startedAll(all);
    responses.get('A1')!(broken);
    await new Promise((resolve) => setTimeout(resolve, 20));
    responses.get(hanging)?.(true);
    expect(await outcome).toBe(broken);
    expect(started).not.toContain('A2');
  },
);

/** A batch that ends before its attempts, when `leave` is called. */
function deliverAndLeave(names: string, hanging: string, mostLate = 0) {
  const late = createLateAttempts(() => mostLate);
  const permitsFor = permitsOf(3);
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const delivering = deliver(names, hanging, { late, permitsFor, waitForEnd: () => left });
  return { late, permitsFor, delivering, leave };
}

test('a batch can end before its attempts, and the next one gets their results', async () => {
  const { late, permitsFor, delivering, leave } = deliverAndLeave('A1 A2 B1 C1', 'A1 C1');
  await startedAll('A1 B1 C1');
  leave();
  const { attempted, blocked, unfinished, handled } = await delivering;
  expect(attempted.map(({ delivery }) => nameOf(delivery))).toEqual(['B1']);
  expect(blocked.map(nameOf)).toEqual(['A2']);
  expect(unfinished.map(nameOf)).toEqual(['A1', 'C1']);
  expect(handled).toBe(4);
  expect([late.includes('A1'), late.includes('C1'), late.includes('B1')]).toEqual([true, true, false]);

  // They keep their permits, so only one more is attempted at a time.
  const next = deliver('D1 E1', 'D1', { late, permitsFor });
  await startedAll('D1');
  responses.get('A1')!(false);
  await startedAll('E1');
  // The first batch is not recorded yet, so no other batch may attempt the event again.
  expect(late.take()).toEqual([]);
  expect(late.includes('A1')).toBe(true);
  for (const delivery of unfinished) delivery.hasRetry = true;
  expect(late.take().map(({ delivery, result: { isSuccess } }) => [nameOf(delivery), isSuccess])).toEqual([
    ['A1', false],
  ]);
  responses.get('D1')!(true);
  responses.get('C1')!(true);
  expect((await next).attempted).toHaveLength(2);
  expect(late.take().map(({ delivery }) => nameOf(delivery))).toEqual(['C1']);
  expect(late.hasAny()).toBe(false);
  expect(started).not.toContain('A2');
});

test('a late attempt that could not be made has no result', async () => {
  const { late, delivering, leave } = deliverAndLeave('A1 B1', 'A1');
  await startedAll('A1 B1');
  leave();
  for (const delivery of (await delivering).unfinished) delivery.hasRetry = true;
  responses.get('A1')!(new Error('the database is not available'));
  await late.ended();
  expect(late.hasAny()).toBe(false);
});

test('late attempts free their permits, up to a limit', async () => {
  const { late, permitsFor, delivering, leave } = deliverAndLeave('A1 B1 C1', 'A1 B1 C1', 2);
  await startedAll('A1 B1 C1');
  leave();
  await delivering;
  // Two of three permits are free again.
  const next = deliver('D1 E1 F1', 'D1 E1 F1', { late, permitsFor });
  await startedAll('D1 E1');
  expect(started).not.toContain('F1');
  responses.get('C1')!(true);
  await startedAll('F1');
  for (const name of ['A1', 'B1', 'D1', 'E1', 'F1']) responses.get(name)!(true);
  expect((await next).attempted).toHaveLength(3);
});

test('retries that hang delay no other delivery, and the rest of them stays due', async () => {
  const retries = deliveriesOf('R1 S1 T1').map((one) => ({ ...one, kind: 'retry' as const, hasRetry: true }));
  const [permits, retryPermits] = [createPermits(() => 1), createPermits(() => 2)];
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const delivering = deliver('A1 B1 R2', 'R1 S1 T1', {
    retries,
    permitsFor: (kind) => (kind === 'retry' ? retryPermits : permits),
    late: createLateAttempts(() => 0),
    waitForEnd: () => left,
  });
  await startedAll('R1 S1 A1 B1');
  leave();
  const { attempted, unfinished, handled, isComplete } = await delivering;
  expect(attempted.map(({ delivery }) => nameOf(delivery))).toEqual(['A1', 'B1']);
  expect(unfinished.map(nameOf)).toEqual(['R1', 'S1']);
  expect([handled, isComplete]).toEqual([3, false]);
  responses.get('R1')!(true);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(started).not.toContain('T1');
});

test('a batch can end while a delivery waits for a permit, and the rest stay unfinished', async () => {
  const { late, permitsFor, delivering, leave } = deliverAndLeave('A1 B1 C1 D1 E1', 'A1 B1 C1', 3);
  await startedAll('A1 B1 C1');
  leave();
  const { unfinished, handled, isComplete } = await delivering;
  expect(unfinished.map(nameOf)).toEqual(['A1', 'B1', 'C1']);
  expect([handled, isComplete]).toEqual([3, false]);
  const next = deliver('D1 E1', 'none', { late, permitsFor });
  await startedAll('D1 E1');
  for (const name of ['A1', 'B1', 'C1']) responses.get(name)!(true);
  expect((await next).attempted).toHaveLength(2);
  expect(started).toEqual(['A1', 'B1', 'C1', 'D1', 'E1']);
});
