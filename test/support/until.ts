import { setTimeout as sleep } from 'node:timers/promises';

const [firstPauseMs, mostPauseMs] = [5, 50];

/**
 * Waits until a condition holds. The pauses grow, because each look at the condition takes time
 * from the program that is to fulfil it.
 *
 * @param what described in the error when the condition does not become true in time
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 5_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = firstPauseMs; !(await condition()); pauseMs = Math.min(pauseMs * 1.5, mostPauseMs)) {
    if (performance.now() > deadline) throw new Error(`did not happen within ${timeoutMs} ms: ${what}`);
    await sleep(pauseMs);
  }
}
