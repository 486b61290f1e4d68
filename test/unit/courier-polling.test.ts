import { startCourier } from '../../src/modules/webhooks/courier';
import type { CourierStore } from '../../src/modules/webhooks/courier.store';
import { startPolling } from '../../src/shared/polling';

/** When background work runs. Time is simulated. */
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test('without work, the courier looks for it once a second, and at once when it is woken', async () => {
  let looks = 0;
  const store: Pick<CourierStore, 'findWork'> = {
    findWork() {
      looks += 1;
      return Promise.resolve([]);
    },
  };
  const courier = startCourier({
    store: store as CourierStore,
    sender: { send: () => Promise.reject(new Error('nothing to send')), stop: () => undefined },
    messages: {} as never,
    attempts: { trim: () => Promise.resolve(false) },
    logger: { warn: () => undefined } as never,
    onAttempt: () => undefined,
    takeFault: () => Promise.resolve(undefined),
    onFault: () => undefined,
  });
  await jest.advanceTimersByTimeAsync(10_000);
  expect(looks).toBe(10);
  courier.wake();
  await jest.advanceTimersByTimeAsync(1);
  expect(looks).toBe(11);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(looks).toBe(12);
  const stopped = courier.stop(1_000);
  await jest.advanceTimersByTimeAsync(1_000);
  await stopped;
});

test('work that is woken while it runs, runs once more', async () => {
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
