/** Lets a varying number of tasks run at a time, in the order of their requests. */
export type Permits = ReturnType<typeof createPermits>;

/** @param most returns the maximum number of concurrent tasks; called whenever a task ends */
export function createPermits(most: () => number) {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    /** Waits for a permit. The caller must free it once. */
    take(): Promise<void> {
      if (waiting.length === 0 && taken < most()) {
        taken += 1;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
    free() {
      taken -= 1;
      while (taken < most()) {
        const next = waiting.shift();
        if (!next) return;
        taken += 1;
        next();
      }
    },
  };
}
