import type { CourierStore } from '../../src/features/webhooks/courier/courier.store';
import type { ClaimedEndpoint, Delivery } from '../../src/features/webhooks/courier/delivery';
import { createGrowth } from '../../src/features/webhooks/courier/delivery-plan';
import { createReadAhead } from '../../src/features/webhooks/courier/read-ahead';

/** A batch that reads more events while some of its deliveries take long. */
const endpoint = { environmentId: 1 } as ClaimedEndpoint;
const never = new Promise(() => undefined);
const deliveriesOf = (count: number) => Array.from({ length: count }, () => ({}) as Delivery);

let feed: number;
let reads: number[];
const store: Pick<CourierStore, 'readBatch'> = {
  readBatch(_endpoint, position, most) {
    reads.push(position);
    const count = Math.min(most, feed - position);
    const endsAt = position + count;
    return Promise.resolve({
      deliveries: deliveriesOf(count),
      endsAt,
      hasMore: endsAt < feed,
      isOutdated: false,
    });
  },
};
const planOf = (count: number) => ({
  deliveries: deliveriesOf(count),
  endsAt: count,
  hasMore: feed > count,
  hasMoreDue: false,
  isOutdated: false,
  retries: [],
  missing: [],
});
beforeEach(() => {
  reads = [];
});

test('a batch reads the events that follow, up to the window', async () => {
  feed = 5_000;
  const plan = planOf(100);
  const { readMore } = createGrowth(store, endpoint, plan, createReadAhead(20_000), () => true);
  let count = 100;
  for (let more = await readMore(never); more.length > 0; more = await readMore(never)) count += more.length;
  expect(reads).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900]);
  expect(count).toBe(1_000);
  expect(plan).toMatchObject({ endsAt: 1_000, hasMore: true });
  expect(plan.deliveries).toHaveLength(1_000);
});

test('a batch reads events that are recorded meanwhile', async () => {
  feed = 3;
  const plan = planOf(3);
  const { readMore } = createGrowth(store, endpoint, plan, createReadAhead(20_000), () => true);
  const reading = readMore(never);
  setTimeout(() => {
    feed = 5;
  }, 300);
  expect(await reading).toHaveLength(2);
  expect(plan).toMatchObject({ endsAt: 5, hasMore: false });
});

test('a batch does not grow when its deliveries have ended', async () => {
  feed = 5_000;
  const { readMore } = createGrowth(store, endpoint, planOf(100), createReadAhead(20_000), () => true);
  expect(await readMore(Promise.resolve())).toEqual([]);
  expect(reads).toEqual([]);
});

test('a batch does not grow without permission', async () => {
  feed = 5_000;
  const { readMore } = createGrowth(store, endpoint, planOf(100), createReadAhead(20_000), () => false);
  expect(await readMore(never)).toEqual([]);
  expect(reads).toEqual([]);
});

test('batches of a process share a limit on events that they read ahead', async () => {
  feed = 5_000;
  const readAhead = createReadAhead(500);
  const growthOf = () => createGrowth(store, endpoint, planOf(100), readAhead, () => true);
  const [one, other] = [growthOf(), growthOf()];
  expect(await one.readMore(never)).toHaveLength(100);
  expect(await other.readMore(never)).toHaveLength(100);
  expect(await other.readMore(never)).toEqual([]);
  one.end();
  expect(await other.readMore(never)).toHaveLength(100);
});

test('a read that ends after its batch adds nothing, and frees its share once', async () => {
  feed = 5_000;
  const plan = planOf(100);
  const readAhead = createReadAhead(400);
  let respond = (): void => undefined;
  const slowStore: typeof store = {
    readBatch: (...request) =>
      new Promise((resolve) => {
        respond = () => {
          resolve(store.readBatch(...request));
        };
      }),
  };
  const { readMore, end } = createGrowth(slowStore, endpoint, plan, readAhead, () => true);
  const reading = readMore(never);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(readAhead.take(1, 101)).toBe(false);
  end();
  respond();
  expect(await reading).toEqual([]);
  expect(plan).toMatchObject({ endsAt: 100 });
  expect(plan.deliveries).toHaveLength(100);
  expect(await readMore(never)).toEqual([]);
  expect([readAhead.take(1, 200), readAhead.take(1, 1)]).toEqual([true, false]);
});

test('whatever an environment reads ahead, something is left for the others', () => {
  const readAhead = createReadAhead(10_000);
  const counts = new Map<number, number>();
  const takeAll = (environmentId: number): number => {
    readAhead.free(environmentId, counts.get(environmentId) ?? 0);
    let count = 0;
    while (readAhead.take(environmentId, 100)) count += 100;
    counts.set(environmentId, count);
    return count;
  };
  expect([1, 2, 3].map(takeAll)).toEqual([5_000, 2_500, 1_200]);
  // After some batches, all environments have the same share.
  for (let turn = 0; turn < 10; turn += 1) [1, 2, 3].forEach(takeAll);
  for (const count of counts.values()) expect(Math.abs(count - 2_500)).toBeLessThanOrEqual(100);
  for (const [environmentId, count] of counts) readAhead.free(environmentId, count);
  expect(readAhead.take(4, 5_000)).toBe(true);
});

test('an environment that starts late can still read a batch ahead', () => {
  const readAhead = createReadAhead(10_000, { reserved: 2_000, least: 100 });
  const takeAll = (environmentId: number): number => {
    let count = 0;
    while (readAhead.take(environmentId, 100)) count += 100;
    return count;
  };
  const counts = Array.from({ length: 40 }, (_, index) => takeAll(index + 1));
  expect(counts.slice(0, 4)).toEqual([4_000, 2_000, 1_000, 500]);
  expect(Math.min(...counts.slice(0, 28))).toBe(100);
  expect(counts.reduce((total, count) => total + count)).toBe(10_000);
  readAhead.free(1, 4_000);
  expect(readAhead.take(41, 100)).toBe(true);
});
