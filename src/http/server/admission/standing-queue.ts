/** Arrivals and starts of one flow since its queue was last empty. */
export interface FlowHistory {
  nonEmptySince: number;
  windowSince: number;
  arrivals: number;
  starts: number;
  /** Counts of the previous window. */
  earlierArrivals: number;
  earlierStarts: number;
}

/**
 * Shorter than any `standingAfterMs`, so that the arrivals of a single burst do not count as
 * refills.
 */
const windowMs = 200;

/** With at least this many arrivals for each start, a queue does not drain. */
const arrivalsPerStart = 0.9;

export const newHistory = (now: number): FlowHistory => ({
  nonEmptySince: now,
  windowSince: now,
  arrivals: 0,
  starts: 0,
  earlierArrivals: 0,
  earlierStarts: 0,
});

/**
 * Whether a flow's queue is standing: it has not been empty for a while, and about as many requests
 * arrive as start. Even a long burst is no standing queue, because fewer requests arrive than
 * start.
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
  return history.earlierArrivals > 0 && history.earlierArrivals >= arrivalsPerStart * history.earlierStarts;
}
