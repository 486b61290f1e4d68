import { createShares, type ShareLimits, type Standing } from './shares';

/** Limits the requests to receivers in one process. */
export type ProcessSlots = ReturnType<typeof createProcessSlots>;

interface Waiting {
  standing: Standing;
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
      if (!shares.isFree(one.standing, one.environmentId)) continue;
      if (!found || shares.takenBy(one.environmentId) < shares.takenBy(found.environmentId)) found = one;
    }
    return found;
  }

  function begin(standing: Standing, environmentId: number): () => void {
    const free = shares.take(standing, environmentId);
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
    take(standing: Standing, environmentId: number): Promise<() => void> {
      if (shares.isFree(standing, environmentId)) return Promise.resolve(begin(standing, environmentId));
      return new Promise((resolve) => {
        waiting.push({
          standing,
          environmentId,
          start: () => {
            resolve(begin(standing, environmentId));
          },
        });
      });
    },
  };
}
