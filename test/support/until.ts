import { setTimeout as sleep } from 'node:timers/promises';

const [firstPauseMs, mostPauseMs] = [5, 50];
/** Enough for a slow and busy machine, and less than a test may take. */
const usualTimeoutMs = 60_000;

/**
 * Waits until a condition holds. The pauses grow, because each check takes CPU time from the
 * program under test.
 *
 * @param what the condition, for the error after a timeout
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = usualTimeoutMs,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = firstPauseMs; !(await condition()); pauseMs = Math.min(pauseMs * 1.5, mostPauseMs)) {
    if (performance.now() > deadline) throw new Error(`did not happen within ${timeoutMs} ms: ${what}`);
    await sleep(pauseMs);
  }
}
