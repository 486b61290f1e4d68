/** Bounds the requests to receivers in one process. */
export interface ProcessSlots {
  /** Waits for a slot. The caller must call the result once. */
  take(isUnproven: boolean): Promise<() => void>;
}

interface Waiting {
  isUnproven: boolean;
  start: () => void;
}

/**
 * Endpoints that fail, are slow or never succeeded share a part of the slots. However many of them
 * time out, the others have slots.
 */
export function createProcessSlots(most: number, mostUnproven: number): ProcessSlots {
  const waiting: Waiting[] = [];
  let taken = 0;
  let takenByUnproven = 0;

  const isFree = (isUnproven: boolean): boolean =>
    taken < most && (!isUnproven || takenByUnproven < mostUnproven);

  function begin(isUnproven: boolean): () => void {
    taken += 1;
    if (isUnproven) takenByUnproven += 1;
    return () => {
      taken -= 1;
      if (isUnproven) takenByUnproven -= 1;
      const index = waiting.findIndex((next) => isFree(next.isUnproven));
      if (index >= 0) waiting.splice(index, 1)[0]?.start();
    };
  }

  return {
    take(isUnproven) {
      if (isFree(isUnproven)) return Promise.resolve(begin(isUnproven));
      return new Promise((resolve) => {
        waiting.push({
          isUnproven,
          start: () => {
            resolve(begin(isUnproven));
          },
        });
      });
    },
  };
}
