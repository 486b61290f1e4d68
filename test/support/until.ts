import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a condition holds, instead of for a time.
 *
 * @param what said when it does not come true
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
