import type { Attempted } from './delivery';
import { mostAttempts } from './retry-schedule';

/** What an attempt adds to the row of its retry. */
export interface Counted {
  attempts: number;
  /** An outage can have caused the failure. */
  outage_attempts: number;
}

export const notAttempted: Counted = { attempts: 0, outage_attempts: 0 };

const startOf = ({ endedAt, result }: Attempted): number => endedAt - result.durationMs;

/** When the last attempt that succeeded started. Older failures tell nothing about an outage. */
export const lastSuccessIn = (attempted: readonly Attempted[]): number =>
  Math.max(-Infinity, ...attempted.filter(({ result }) => result.isSuccess).map(startOf));

export interface FailedAttempts {
  /** How many have failed since the last success of the endpoint. */
  inRow: number;
  countedOf: (failed: Attempted) => Counted;
  /** Whether it was the last attempt of the event. */
  isExhausted: (attempted: Attempted) => boolean;
}

/**
 * Counts the failed attempts of a batch. An outage uses up no event's attempts, and its first
 * failures do not show that it is one. So a failure counts toward the last attempt after a later
 * success of the endpoint.
 *
 * @param lastSuccessAt when the last attempt of the session that succeeded started
 */
export function countFailures(attempted: readonly Attempted[], lastSuccessAt: number): FailedAttempts {
  const hasSuccess = attempted.some(({ result }) => result.isSuccess);
  const isInRow = (one: Attempted): boolean => !one.result.isSuccess && startOf(one) >= lastSuccessAt;
  function attemptsThatCount(failed: Attempted): number {
    const { attempts, outageAttempts } = failed.delivery;
    if (!isInRow(failed)) return attempts + 1;
    return hasSuccess ? attempts : attempts - outageAttempts;
  }
  return {
    inRow: attempted.filter(isInRow).length,
    countedOf: (failed) => ({ attempts: 1, outage_attempts: isInRow(failed) ? 1 : 0 }),
    isExhausted: (one) =>
      !one.result.isSuccess && one.delivery.kind === 'retry' && attemptsThatCount(one) >= mostAttempts,
  };
}
