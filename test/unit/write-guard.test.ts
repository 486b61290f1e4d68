import { createWriteGuard, promptMs } from '../../src/db/pool/write-guard';

/** When writes are accepted again after commits got no reply. Time is simulated. */
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const openingMs = 4_000;

/** A guard whose connections take long to open, as on a busy machine or network. */
function guardWith(commitMs: number, openingFails = false) {
  const stopped = new AbortController();
  const causes: (string | undefined)[] = [];
  const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const guard = createWriteGuard(
    {
      tryCommit: async (onOpened) => {
        await wait(openingMs);
        if (openingFails) throw new Error('timeout expired');
        onOpened();
        await wait(commitMs);
        return commitMs;
      },
      onAccepted: () => undefined,
      onWritesRejected: (cause) => causes.push(cause),
    },
    stopped.signal,
  );
  guard.doubt();
  return { guard, stopped, causes };
}

test('writes wait while a connection opens slowly, and none is rejected if its commit is prompt', async () => {
  const { guard, causes } = guardWith(promptMs - 1);
  await jest.advanceTimersByTimeAsync(openingMs + promptMs - 2);
  expect([guard.areWritesInDoubt(), guard.rejection()]).toEqual([true, undefined]);
  await jest.advanceTimersByTimeAsync(1);
  expect([guard.areWritesInDoubt(), causes]).toEqual([false, []]);
});

test('writes are rejected when the commit takes too long, and a late commit does not end it', async () => {
  const { guard, stopped, causes } = guardWith(promptMs + 1);
  await jest.advanceTimersByTimeAsync(openingMs + promptMs - 1);
  expect(guard.rejection()).toBeUndefined();
  await jest.advanceTimersByTimeAsync(1);
  expect(guard.rejection()).toBe('unconfirmed');
  await jest.advanceTimersByTimeAsync(60_000);
  expect([guard.rejection(), causes]).toEqual(['unconfirmed', ['unconfirmed']]);
  stopped.abort();
});

test('writes are rejected when no connection opens, for this cause', async () => {
  const { guard, stopped } = guardWith(1, true);
  await jest.advanceTimersByTimeAsync(openingMs);
  expect(guard.rejection()).toBe('unavailable');
  stopped.abort();
});
