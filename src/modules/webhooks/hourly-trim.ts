const intervalMs = 3_600_000;
const retryMs = 60_000;

/**
 * Runs a trim at most once an hour, or a minute after a failed one. Call the result in each poll.
 *
 * @param trim deletes a limited number of rows, and returns whether more are left; the next call
 *   then continues at once
 */
export function createHourlyTrim(trim: () => Promise<boolean>): () => Promise<void> {
  let dueAt = 0;
  return async () => {
    if (performance.now() < dueAt) return;
    // Set the next time first. A trim that fails thus ends only this poll, not the next ones.
    dueAt = performance.now() + retryMs;
    dueAt = (await trim()) ? 0 : performance.now() + intervalMs;
  };
}
