export interface ConcurrencyLimits {
  /** The most that run at a time. */
  concurrent: number;
  /** The most that wait; one more is rejected at once. */
  waiting: number;
  /** How long one waits at most; then it is rejected. */
  waitMs: number;
}

/** Runs work within the limits. What is rejected has not started. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Bounds how much of one kind of work runs at a time, first come, first served.
 *
 * @param rejection makes the error for work that does not get its turn
 */
export function createConcurrencyLimit(limits: ConcurrencyLimits, rejection: () => Error): ConcurrencyLimit {
  /** Each starts one waiting piece of work. */
  const waiting = new Set<() => void>();
  let running = 0;

  function turn(): Promise<void> {
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

  /** Hands the place to the next in line. */
  function leave(): void {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return async (work) => {
    await turn();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
