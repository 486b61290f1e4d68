import { type Courier, startCourier } from '../../src/features/webhooks/courier/courier';
import type { CourierStore } from '../../src/features/webhooks/courier/courier.store';
import { startHourlyTrim } from '../../src/features/webhooks/attempts/hourly-trim';
import { startPolling } from '../../src/shared/polling';

/** When background work runs. Time is simulated. */
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const logger = { warn: () => undefined } as never;

/** A courier without work. */
function startIdleCourier(store: Pick<CourierStore, 'findWork'>): Courier {
  return startCourier({
    store: store as CourierStore,
    sender: { send: () => Promise.reject(new Error('nothing to send')), isStopped: false },
    messages: {} as never,
    logger,
    onAttempt: () => undefined,
    takeFault: () => Promise.resolve(undefined),
    onFault: () => undefined,
  });
}

test('without work, the courier looks for it once a second, and at once when it is woken', async () => {
  let looks = 0;
  const courier = startIdleCourier({
    findWork() {
      looks += 1;
      return Promise.resolve([]);
    },
  });
  await jest.advanceTimersByTimeAsync(10_000);
  expect(looks).toBe(10);
  courier.wake();
  await jest.advanceTimersByTimeAsync(1);
  expect(looks).toBe(11);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(looks).toBe(12);
  const stopped = courier.stop();
  await jest.advanceTimersByTimeAsync(1_000);
  await stopped;
});

test('old rows are deleted again while some are left, and a stop waits for the current deletion', async () => {
  let trims = 0;
  let endTrim: () => void = () => undefined;
  let isStopped = (): boolean => false;
  const trimming = startHourlyTrim((isOver) => {
    trims += 1;
    isStopped = isOver;
    return new Promise((resolve) => {
      endTrim = () => {
        resolve(true);
      };
    });
  }, logger);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(trims).toBe(1);
  endTrim();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(trims).toBe(2);
  expect(isStopped()).toBe(false);
  let hasStopped = false;
  const stopped = trimming.stop().then(() => {
    hasStopped = true;
  });
  await jest.advanceTimersByTimeAsync(10_000);
  expect({ hasStopped, isTrimTold: isStopped() }).toEqual({ hasStopped: false, isTrimTold: true });
  endTrim();
  await jest.advanceTimersByTimeAsync(10_000);
  await stopped;
  expect(trims).toBe(2);
});

test('old rows are deleted once an hour, and a minute after a failure', async () => {
  let trims = 0;
  let fails = true;
  const trimming = startHourlyTrim(() => {
    trims += 1;
    return fails ? Promise.reject(new Error('no connection')) : Promise.resolve(false);
  }, logger);
  await jest.advanceTimersByTimeAsync(30_000);
  expect(trims).toBe(1);
  fails = false;
  await jest.advanceTimersByTimeAsync(60_000);
  expect(trims).toBe(2);
  await jest.advanceTimersByTimeAsync(59 * 60_000);
  expect(trims).toBe(2);
  await jest.advanceTimersByTimeAsync(2 * 60_000);
  expect(trims).toBe(3);
  const stopped = trimming.stop();
  await jest.advanceTimersByTimeAsync(1_000);
  await stopped;
});

test('work that is woken while it runs runs again afterwards', async () => {
  const ends: (() => void)[] = [];
  const polling = startPolling(
    () =>
      new Promise((resolve) =>
        ends.push(() => {
          resolve(60_000);
        }),
      ),
    0,
  );
  await jest.advanceTimersByTimeAsync(1);
  expect(ends.length).toBe(1);
  polling.wake();
  polling.wake();
  ends[0]!();
  await jest.advanceTimersByTimeAsync(1);
  expect(ends.length).toBe(2);
  ends[1]!();
  await jest.advanceTimersByTimeAsync(59_000);
  expect(ends.length).toBe(2);
  await polling.stop();
});
