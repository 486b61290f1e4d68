import type { Attempted, AttemptResult, Delivery } from './delivery';

/** Attempts of a session whose batch was recorded before they ended. */
export interface LateAttempts {
  /** Frees the permit of an attempt, unless too many are late. */
  add(delivery: Delivery, ended: Promise<unknown>, freePermit: () => void): void;
  /** Keeps the result of one, for the next batch. */
  end(attempted: Attempted): void;
  /** Whether the event's attempt goes on, or has a result that no batch has taken. */
  includes(eventId: string): boolean;
  /** Whether some go on, or have results that no batch has taken. */
  hasAny(): boolean;
  /** Resolves when those that go on now have ended. */
  ended(): Promise<unknown>;
  /** Takes the results of those whose batch is recorded. */
  take(): Attempted[];
}

/**
 * @param most how many give their permits to other attempts
 * @param onResult called for each result at once
 */
export function createLateAttempts(
  most: () => number,
  onResult: (result: AttemptResult) => void = () => undefined,
): LateAttempts {
  const inProgress = new Map<string, Promise<unknown>>();
  let results: Attempted[] = [];
  return {
    add({ event: { eventId } }, ended, freePermit) {
      if (inProgress.size < most()) freePermit();
      const forget = (): boolean => inProgress.delete(eventId);
      inProgress.set(eventId, ended.then(forget, forget));
    },
    end(attempted) {
      results.push(attempted);
      onResult(attempted.result);
    },
    includes: (eventId) =>
      inProgress.has(eventId) || results.some(({ delivery }) => delivery.event.eventId === eventId),
    hasAny: () => inProgress.size > 0 || results.length > 0,
    ended: () => Promise.all(inProgress.values()),
    take() {
      const taken = results.filter(({ delivery }) => delivery.hasRetry);
      results = results.filter(({ delivery }) => !delivery.hasRetry);
      return taken;
    },
  };
}
