import type { Delivery } from '../courier/delivery';

/** Tracks the attempts of a session that are in progress, from all of its batches. */
export interface AttemptsInProgress {
  including<T>(attempt: (delivery: Delivery) => Promise<T>): (delivery: Delivery) => Promise<T>;
  /** Resolves when all tracked attempts have ended. */
  ended(): Promise<void>;
}

export function createAttemptsInProgress(): AttemptsInProgress {
  const inProgress = new Set<Promise<unknown>>();
  return {
    including: (attempt) => (delivery) => {
      const result = attempt(delivery);
      const forget = (): boolean => inProgress.delete(ended);
      const ended: Promise<unknown> = result.then(forget, forget);
      inProgress.add(ended);
      return result;
    },
    async ended() {
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}
