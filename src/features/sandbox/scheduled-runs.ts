const longestDelayMs = 60_000;

/**
 * Runs work at scheduled times, with at most one run per environment at a time.
 *
 * @param work never rejects
 * @param pauseMs how long a run waits if it becomes due during another one of its environment
 */
export function createScheduledRuns(work: (environmentId: number) => Promise<void>, pauseMs: number) {
  const timers = new Map<number, { timer: NodeJS.Timeout; at: number }>();
  const running = new Map<number, Promise<void>>();
  let isStopped = false;

  function run(environmentId: number): void {
    timers.delete(environmentId);
    if (running.has(environmentId)) {
      schedule(environmentId, pauseMs);
      return;
    }
    const current = work(environmentId).finally(() => running.delete(environmentId));
    running.set(environmentId, current);
  }

  function schedule(environmentId: number, delayMs: number): void {
    if (isStopped) return;
    const ms = Math.min(delayMs, longestDelayMs);
    const at = performance.now() + ms;
    const existing = timers.get(environmentId);
    if (existing && existing.at <= at) return;
    clearTimeout(existing?.timer);
    timers.set(environmentId, { timer: setTimeout(run, ms, environmentId).unref(), at });
  }

  return {
    /**
     * Runs the work after the delay, but within a minute. If an earlier run is scheduled, that one
     * stays.
     */
    schedule,
    isStopped: () => isStopped,
    /** Starts no more runs, and waits for the current ones. */
    async stop() {
      isStopped = true;
      for (const { timer } of timers.values()) clearTimeout(timer);
      await Promise.all(running.values());
    },
  };
}
