import { createShares, type ShareLimits, type Reliability } from './shares';

/** Limits the requests to receivers in one process. */
export type ProcessSlots = ReturnType<typeof createProcessSlots>;

interface Waiting {
  reliability: Reliability;
  environmentId: number;
  start: () => void;
}

/** A free slot goes to the environment with the fewest slots. */
export function createProcessSlots(limits: ShareLimits) {
  const shares = createShares(limits);
  const waiting: Waiting[] = [];

  function next(): Waiting | undefined {
    let found: Waiting | undefined;
    for (const one of waiting) {
      if (!shares.isFree(one.reliability, one.environmentId)) continue;
      if (!found || shares.takenBy(one.environmentId) < shares.takenBy(found.environmentId)) found = one;
    }
    return found;
  }

  function begin(reliability: Reliability, environmentId: number): () => void {
    const free = shares.take(reliability, environmentId);
    return () => {
      free();
      for (let one = next(); one; one = next()) {
        waiting.splice(waiting.indexOf(one), 1);
        one.start();
      }
    };
  }

  return {
    /** Waits for a slot. The caller must call the returned function once to free it. */
    take(reliability: Reliability, environmentId: number): Promise<() => void> {
      if (shares.isFree(reliability, environmentId))
        return Promise.resolve(begin(reliability, environmentId));
      return new Promise((resolve) => {
        waiting.push({
          reliability,
          environmentId,
          start: () => {
            resolve(begin(reliability, environmentId));
          },
        });
      });
    },
  };
}
