/** Arrivals and starts of one flow since its queue was last empty. */
export interface FlowHistory {
  nonEmptySince: number;
  windowSince: number;
  arrivals: number;
  starts: number;
  /** Of the window before. */
  earlierArrivals: number;
  earlierStarts: number;
}

/**
 * Shorter than any class waits before a queue counts as standing, so that the arrival of a burst
 * itself is no refill.
 */
const windowMs = 200;

/** Of the starts, how many arrivals make a queue that does not drain. */
const refill = 0.9;

export const newHistory = (now: number): FlowHistory => ({
  nonEmptySince: now,
  windowSince: now,
  arrivals: 0,
  starts: 0,
  earlierArrivals: 0,
  earlierStarts: 0,
});

/**
 * Whether a flow's queue is standing: it has not been empty for long, and about as many requests
 * arrive as start. A burst drains, however long it is: fewer arrive than start.
 */
export function isStanding(history: FlowHistory, standingAfterMs: number, now: number): boolean {
  if (now - history.windowSince >= windowMs) {
    history.windowSince = now;
    history.earlierArrivals = history.arrivals;
    history.earlierStarts = history.starts;
    history.arrivals = 0;
    history.starts = 0;
  }
  if (now - history.nonEmptySince < standingAfterMs) return false;
  return history.earlierArrivals > 0 && history.earlierArrivals >= refill * history.earlierStarts;
}
