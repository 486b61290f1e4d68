import { createWriteGuard } from '../../src/db/pool/write-guard';

/** When writes are accepted again after commits got no reply. Time is simulated. */
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const promptMs = 2_000;

/** A guard on a machine that is so busy that a connection takes long. */
function guardWith(commitMs: number) {
  const stopped = new AbortController();
  const guard = createWriteGuard(
    {
      promptMs,
      tryCommit: () => new Promise((resolve) => setTimeout(resolve, 4_000 + commitMs, commitMs)),
      onAccepted: () => undefined,
      onWritesRejected: () => undefined,
    },
    stopped.signal,
  );
  guard.doubt();
  return { guard, stopped };
}

test('a prompt commit on a connection that took long ends the rejection of writes', async () => {
  const { guard } = guardWith(100);
  await jest.advanceTimersByTimeAsync(promptMs);
  expect(guard.areWritesRejected()).toBe(true);
  await jest.advanceTimersByTimeAsync(2_200);
  expect(guard.areWritesInDoubt()).toBe(false);
});

test('a late commit does not end it', async () => {
  const { guard, stopped } = guardWith(promptMs + 1);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(guard.areWritesRejected()).toBe(true);
  stopped.abort();
});
