import type { Delivery } from './delivery';

/** The attempts in progress of a session, from all of its batches. */
export interface AttemptsInProgress {
  including<T>(attempt: (delivery: Delivery) => Promise<T>): (delivery: Delivery) => Promise<T>;
  /** Resolves when all of them have ended. */
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
