import type { Journal } from './journal/journal';

/** The time from the start of a fault until the service had recovered. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

/** Requests that the fault affected may still fail for this long after the first success. */
const graceMs = 1_000;

/**
 * Every disturbance that only a fault can explain must overlap a fault; otherwise it is a
 * violation.
 *
 * @returns the number of disturbances that each kind explains
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
