import { createReadingSlots } from '../../../src/features/bank-statements/reading/reading-slots';

/** Files wait for a slot of this process. A company has one, whatever its environment. */
const isOverloaded = { code: 'overloaded', headers: { 'Retry-After': '10' } };

test('two companies read at a time, and the third starts when one ends', async () => {
  const slots = createReadingSlots();
  const free = await slots.take('A');
  await slots.take('B');
  let isStarted = false;
  const third = slots.take('C').then(() => (isStarted = true));
  await Promise.resolve();
  expect(isStarted).toBe(false);
  free();
  await third;
  expect(isStarted).toBe(true);
});

test('a second file of a company waits, and does not delay another company', async () => {
  const slots = createReadingSlots();
  const free = await slots.take('A');
  const order: string[] = [];
  const second = slots.take('A', { waitMs: 60_000 }).then(() => order.push('A'));
  await slots.take('B').then(() => order.push('B'));
  free();
  await second;
  expect(order).toEqual(['B', 'A']);
});

test('a slot is freed once, also if it is freed twice', async () => {
  const slots = createReadingSlots({ threads: 1, waiting: 4 });
  const free = await slots.take('A');
  free();
  await slots.take('A');
  free();
  await expect(slots.take('B', { waitMs: 1 })).rejects.toMatchObject(isOverloaded);
});

test('a wait ends after its limit, and its place in the queue is free again', async () => {
  const slots = createReadingSlots({ threads: 1, waiting: 1 });
  const free = await slots.take('A');
  await expect(slots.take('B', { waitMs: 1 })).rejects.toMatchObject(isOverloaded);
  const next = slots.take('C', { waitMs: 60_000 });
  free();
  await next;
});

test('a full queue rejects at once, and so does a second waiting file of a company', async () => {
  const slots = createReadingSlots({ threads: 1, waiting: 2 });
  await slots.take('A');
  const leaving = new AbortController();
  const wait = { waitMs: 60_000, signal: leaving.signal };
  const waiting = ['B', 'C'].map((company) => slots.take(company, wait).catch((error: unknown) => error));
  await expect(slots.take('D', wait)).rejects.toMatchObject(isOverloaded);
  leaving.abort(new Error('left'));
  expect(await Promise.all(waiting)).toEqual([new Error('left'), new Error('left')]);
  const again = slots.take('B', { waitMs: 60_000 });
  await expect(slots.take('B', { waitMs: 60_000 })).rejects.toMatchObject(isOverloaded);
  again.catch(() => undefined);
});

test('an uploader who leaves frees the place in the queue', async () => {
  const slots = createReadingSlots({ threads: 1, waiting: 4 });
  const free = await slots.take('A');
  const leaving = new AbortController();
  const left = slots.take('B', { waitMs: 60_000, signal: leaving.signal });
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  free();
  await slots.take('C', { waitMs: 1 });
});

test('background work waits without a limit, and takes no place of requests', async () => {
  const slots = createReadingSlots({ threads: 1, waiting: 1 });
  const free = await slots.take('A');
  const background = slots.take('B');
  const request = slots.take('C', { waitMs: 60_000 });
  free();
  (await background)();
  (await request)();
});
