export interface ConcurrencyLimits {
  /** The most tasks that run at a time. */
  concurrent: number;
  /** The most tasks that wait. Further tasks are rejected at once. */
  waiting: number;
  /** The longest wait of a task before it is rejected. */
  waitMs: number;
}

/** Runs a task within the limits. A rejected task was not started. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Limits how many tasks run at a time, in first-in, first-out order.
 *
 * @param rejection creates the error for a rejected task
 */
export function createConcurrencyLimit(limits: ConcurrencyLimits, rejection: () => Error): ConcurrencyLimit {
  /** Each function starts one waiting task. */
  const waiting = new Set<() => void>();
  let running = 0;

  function acquire(): Promise<void> {
    if (running < limits.concurrent) {
      running += 1;
      return Promise.resolve();
    }
    if (waiting.size >= limits.waiting) return Promise.reject(rejection());
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(start);
        reject(rejection());
      }, limits.waitMs);
      waiting.add(start);
    });
  }

  /** Passes the slot to the next waiting task. */
  function release(): void {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return async (work) => {
    await acquire();
    try {
      return await work();
    } finally {
      release();
    }
  };
}
