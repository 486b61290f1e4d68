/** Work that runs again and again until it is stopped. */
export interface Polling {
  readonly isStopped: boolean;
  /** Starts no more runs, and waits for the current one. */
  stop(): Promise<void>;
}

/**
 * Runs work again and again, one run at a time. The timer does not keep the process alive.
 *
 * @param run never rejects. Its result is the time until the next run, in milliseconds.
 */
export function startPolling(run: () => Promise<number>, firstDelayMs: number): Polling {
  let isStopped = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function schedule(delayMs: number): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = run().then(schedule);
    }, delayMs);
    timer.unref();
  }

  schedule(firstDelayMs);
  return {
    get isStopped() {
      return isStopped;
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
