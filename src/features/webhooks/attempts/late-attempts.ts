import type { Attempted, AttemptResult, Delivery } from '../courier/delivery';

/** Attempts of a session that are still in progress after their batch was recorded. */
export type LateAttempts = ReturnType<typeof createLateAttempts>;

/**
 * @param most the number of late attempts that free their permits
 * @param onResult is called with each result as soon as it arrives
 */
export function createLateAttempts(
  most: () => number,
  onResult: (result: AttemptResult) => void = () => undefined,
) {
  const inProgress = new Map<string, Promise<unknown>>();
  let results: Attempted[] = [];
  return {
    /** Adds an attempt in progress. Frees its permit, unless too many attempts are late. */
    add({ event: { eventId } }: Delivery, ended: Promise<unknown>, freePermit: () => void) {
      if (inProgress.size < most()) freePermit();
      const forget = (): boolean => inProgress.delete(eventId);
      inProgress.set(eventId, ended.then(forget, forget));
    },
    /** Keeps the result of an attempt for the next batch. */
    end(attempted: Attempted) {
      results.push(attempted);
      onResult(attempted.result);
    },
    /** Whether the event's attempt is in progress, or has a result that no batch has taken. */
    includes: (eventId: string) =>
      inProgress.has(eventId) || results.some(({ delivery }) => delivery.event.eventId === eventId),
    /** Whether attempts are in progress, or have results that no batch has taken. */
    hasAny: () => inProgress.size > 0 || results.length > 0,
    /** Resolves when the current attempts have ended. */
    ended: (): Promise<unknown> => Promise.all(inProgress.values()),
    /** Returns and removes the results of attempts whose batch is recorded. */
    take() {
      const taken = results.filter(({ delivery }) => delivery.hasRetry);
      results = results.filter(({ delivery }) => !delivery.hasRetry);
      return taken;
    },
  };
}
