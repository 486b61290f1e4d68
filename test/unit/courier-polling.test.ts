import { type Courier, startCourier } from '../../src/features/webhooks/courier/courier';
import type { CourierStore } from '../../src/features/webhooks/courier/courier.store';
import type { OldAttemptsStore } from '../../src/features/webhooks/attempts/old-attempts.store';
import { startPolling } from '../../src/shared/polling';

/** When background work runs. Time is simulated. */
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A courier without work. */
function startIdleCourier({
  findWork = () => Promise.resolve([]),
  trim = () => Promise.resolve(false),
}: Partial<Pick<CourierStore, 'findWork'> & Pick<OldAttemptsStore, 'trim'>>): Courier {
  const store: Pick<CourierStore, 'findWork'> = { findWork };
  return startCourier({
    store: store as CourierStore,
    sender: { send: () => Promise.reject(new Error('nothing to send')), isStopped: false },
    messages: {} as never,
    oldAttempts: { trim },
    logger: { warn: () => undefined } as never,
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

test('the courier looks for work while old attempts are deleted, and stops after them', async () => {
  let looks = 0;
  let trims = 0;
  let endTrim: () => void = () => undefined;
  let isStopped = (): boolean => false;
  const courier = startIdleCourier({
    findWork() {
      looks += 1;
      return Promise.resolve([]);
    },
    trim(isOver) {
      trims += 1;
      isStopped = isOver;
      return new Promise((resolve) => {
        endTrim = () => {
          resolve(true);
        };
      });
    },
  });
  await jest.advanceTimersByTimeAsync(10_000);
  expect(looks).toBe(10);
  expect(trims).toBe(1);
  endTrim();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(trims).toBe(2);
  expect(isStopped()).toBe(false);
  let hasStopped = false;
  const stopped = courier.stop().then(() => {
    hasStopped = true;
  });
  await jest.advanceTimersByTimeAsync(10_000);
  expect({ hasStopped, isTrimTold: isStopped() }).toEqual({ hasStopped: false, isTrimTold: true });
  endTrim();
  await jest.advanceTimersByTimeAsync(10_000);
  await stopped;
  expect(trims).toBe(2);
});

test('old attempts are deleted once an hour, and a minute after a failure', async () => {
  let trims = 0;
  let fails = true;
  const courier = startIdleCourier({
    trim() {
      trims += 1;
      return fails ? Promise.reject(new Error('no connection')) : Promise.resolve(false);
    },
  });
  await jest.advanceTimersByTimeAsync(30_000);
  expect(trims).toBe(1);
  fails = false;
  await jest.advanceTimersByTimeAsync(60_000);
  expect(trims).toBe(2);
  await jest.advanceTimersByTimeAsync(59 * 60_000);
  expect(trims).toBe(2);
  await jest.advanceTimersByTimeAsync(2 * 60_000);
  expect(trims).toBe(3);
  const stopped = courier.stop();
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
