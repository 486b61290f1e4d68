import type { Journal } from './journal/journal';

/** The time from the beginning of a fault until the service had recovered from it. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

/** So long after the first success something that the fault has begun may still end badly. */
const graceMs = 1_000;

/**
 * Every answer of the kind that only a fault explains must overlap one. What overlaps none is a
 * violation.
 * @returns how many were explained by each kind
 */
export function explainDisturbances(journal: Journal, windows: readonly Window[]): Map<string, number> {
  const explained = new Map<string, number>();
  for (const { sentAt, receivedAt, what, operation } of journal.disturbances) {
    const within = (afterMs: number) =>
      windows.find(({ from, to }) => sentAt <= to + afterMs && receivedAt >= from);
    const window = within(0) ?? within(graceMs);
    if (window) explained.set(window.kind, (explained.get(window.kind) ?? 0) + 1);
    else {
      const at = new Date(sentAt).toISOString();
      journal.violate('unexplained', `${operation} at ${at}: ${what} after ${receivedAt - sentAt} ms`);
    }
  }
  journal.disturbances = [];
  return explained;
}
