import type { Attempted, Delivery } from './delivery';

/** Attempts of a session whose batch was recorded before they ended. */
export interface LateAttempts {
  add(delivery: Delivery, attempt: Promise<unknown>): void;
  /** Keeps the result of one, for the next batch. */
  end(attempted: Attempted): void;
  /** Whether the event's attempt goes on. */
  includes(eventId: string): boolean;
  /** Whether some go on, or have results that no batch has taken. */
  hasAny(): boolean;
  /** Resolves when those that go on now have ended. */
  ended(): Promise<unknown>;
  /** Takes the results of those whose batch is recorded. */
  take(): Attempted[];
}

export function createLateAttempts(): LateAttempts {
  const inProgress = new Map<string, Promise<unknown>>();
  let results: Attempted[] = [];
  return {
    add({ event: { eventId } }, attempt) {
      const forget = (): boolean => inProgress.delete(eventId);
      inProgress.set(eventId, attempt.then(forget, forget));
    },
    end(attempted) {
      results.push(attempted);
    },
    includes: (eventId) => inProgress.has(eventId),
    hasAny: () => inProgress.size > 0 || results.length > 0,
    ended: () => Promise.all(inProgress.values()),
    take() {
      const taken = results.filter(({ delivery }) => delivery.hasRetry);
      results = results.filter(({ delivery }) => !delivery.hasRetry);
      return taken;
    },
  };
}
