import type { Attempted } from './delivery';
import { mostAttempts } from './retry-schedule';

/** What an attempt adds to the row of its retry. */
export interface Counted {
  attempts: number;
  /** 1 if an outage can have caused the failure, otherwise 0. */
  outage_attempts: number;
}

export const notAttempted: Counted = { attempts: 0, outage_attempts: 0 };

const startOf = ({ endedAt, result }: Attempted): number => endedAt - result.durationMs;

/** The start of the last successful attempt. Earlier failures are no sign of an outage. */
export const lastSuccessIn = (attempted: readonly Attempted[]): number =>
  Math.max(-Infinity, ...attempted.filter(({ result }) => result.isSuccess).map(startOf));

/**
 * Counts the failed attempts of a batch. Failures of an outage do not use up an event's attempts.
 * The first failures do not show whether they belong to an outage. Therefore, a failure counts only
 * after a later success of the endpoint.
 *
 * @param lastSuccessAt the start of the session's last successful attempt
 */
export function countFailures(attempted: readonly Attempted[], lastSuccessAt: number) {
  const hasSuccess = attempted.some(({ result }) => result.isSuccess);
  const isInRow = (one: Attempted): boolean => !one.result.isSuccess && startOf(one) >= lastSuccessAt;
  function attemptsThatCount(failed: Attempted): number {
    const { attempts, outageAttempts } = failed.delivery;
    if (!isInRow(failed)) return attempts + 1;
    return hasSuccess ? attempts : attempts - outageAttempts;
  }
  return {
    /** The number of failures since the endpoint's last success. */
    inRow: attempted.filter(isInRow).length,
    countedOf: (failed: Attempted): Counted => ({ attempts: 1, outage_attempts: isInRow(failed) ? 1 : 0 }),
    /** Whether it was the last attempt of the event. */
    isExhausted: (one: Attempted) =>
      !one.result.isSuccess && one.delivery.kind === 'retry' && attemptsThatCount(one) >= mostAttempts,
  };
}
