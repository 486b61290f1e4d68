import type { AttemptResult, Delivery } from '../../src/modules/webhooks/delivery';
import { type DeliveryOptions, deliverInOrder } from '../../src/modules/webhooks/ordered-deliveries';
import { until } from '../support/until';

/** The deliveries of one batch. Some take long. `A2` is the second event of contribution A. */
const result = (isSuccess: boolean) => ({ isSuccess, durationMs: 1 }) as AttemptResult;
const deliveryOf = (name: string, isBlocked = false) =>
  ({ kind: 'first', event: { eventId: name, transactionId: name[0] }, attempts: 0, isBlocked }) as Delivery;
const deliveriesOf = (names: string) => names.split(' ').map((name) => deliveryOf(name));
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
    concurrency: () => 4,
    isOver: () => isOver,
    isAborted: () => false,
    ...changes,
  });
}
const startedAll = (names: string) =>
  until(`${names} have started`, () => names.split(' ').every((name) => started.includes(name)), 5_000);

test('a delivery that takes long delays only those of its contribution', async () => {
  const delivering = deliver('A1 A2 B1 B2 C1 A3 D1', 'A1');
  await startedAll('A1 B1 B2 C1 D1');
  expect(started).not.toContain('A2');
  responses.get('A1')!(true);
  const { attempted, blocked, settled } = await delivering;
  expect(started.filter((name) => name.startsWith('A'))).toEqual(['A1', 'A2', 'A3']);
  expect([attempted.length, blocked.length, settled]).toEqual([7, 0, 7]);
});

test('after a failure, later ones of its contribution are blocked, and others are not', async () => {
  const delivering = deliver('A1 A2 B1 A3', 'A1');
  await startedAll('A1 B1');
  responses.get('A1')!(false);
  const { attempted, blocked, settled } = await delivering;
  expect(attempted.map(({ delivery }) => nameOf(delivery))).toEqual(['B1', 'A1']);
  expect(blocked.map(nameOf)).toEqual(['A2', 'A3']);
  expect(settled).toBe(4);
});

test('behind one that the database has blocked, later ones of its contribution are blocked', async () => {
  const delivering = deliverInOrder([deliveryOf('A2', true), deliveryOf('A3'), deliveryOf('B1')], {
    attempt: () => Promise.resolve(result(true)),
    takeSlot: () => Promise.resolve(() => undefined),
    concurrency: () => 4,
    isOver: () => false,
    isAborted: () => false,
  });
  expect((await delivering).blocked.map(nameOf)).toEqual(['A2', 'A3']);
});

test('when the batch is over, those that wait for an earlier one are blocked, and the rest is left', async () => {
  const delivering = deliver('A1 A2 B1 A3 C1', 'A1 B1', { concurrency: () => 2 });
  await startedAll('A1 B1');
  isOver = true;
  responses.get('A1')!(true);
  responses.get('B1')!(true);
  const { attempted, blocked, settled } = await delivering;
  expect(attempted.map(({ delivery }) => nameOf(delivery))).toEqual(['A1', 'B1']);
  expect(blocked.map(nameOf)).toEqual(['A2', 'A3']);
  expect(settled).toBe(4);
});

test('no more than the permitted number are in progress', async () => {
  const delivering = deliver('A1 B1 C1 D1 E1 A2', 'A1 B1 C1 D1 E1', { concurrency: () => 3 });
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

test('while some are in progress, the batch grows', async () => {
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
  const { attempted, settled } = await delivering;
  expect([attempted.length, settled]).toEqual([6, 6]);
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
