import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a condition holds.
 *
 * @param what described in the error when the condition does not become true in time
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 5_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`did not happen within ${timeoutMs} ms: ${what}`);
    await sleep(10);
  }
}
