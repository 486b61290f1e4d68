import { reportUncaught } from './contained';

/** Work that runs again and again until it is stopped. */
export interface Polling {
  readonly isStopped: boolean;
  /** Runs now, or again right after the current run. */
  wake(): void;
  /** Starts no further runs, and waits for the current one. */
  stop(): Promise<void>;
}

/** The wait after a run that failed with an exception. */
const afterExceptionMs = 1_000;

/**
 * Runs work again and again, one run at a time. The timer does not keep the process alive.
 *
 * @param run handles its own errors. An exception is reported, and the work goes on. Its result is
 *   the time until the next run, in milliseconds.
 */
export function startPolling(run: () => Promise<number>, firstDelayMs: number): Polling {
  let isStopped = false;
  let isRunning = false;
  let isWoken = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function schedule(delayMs: number): void {
    isRunning = false;
    if (isStopped) return;
    const dueMs = isWoken ? 0 : delayMs;
    isWoken = false;
    timer = setTimeout(() => {
      isRunning = true;
      running = Promise.resolve()
        .then(run)
        .catch((error: unknown) => {
          reportUncaught(error);
          return afterExceptionMs;
        })
        .then(schedule);
    }, dueMs);
    timer.unref();
  }

  schedule(firstDelayMs);
  return {
    get isStopped() {
      return isStopped;
    },
    wake() {
      isWoken = true;
      if (isRunning) return;
      clearTimeout(timer);
      schedule(0);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
