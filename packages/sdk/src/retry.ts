import type { Failure } from './attempt.js';

/** The history of a call. */
export interface Progress {
  /** The number of attempts made. */
  readonly attempts: number;
  /** The number of 500 `internal_error` responses. */
  readonly internalErrors: number;
  /** Whether this pair has succeeded before. */
  readonly isPairKnown: boolean;
}

const shortestDelayMs = 500;
const longestDelayMs = 8_000;

/** A random delay (full jitter) between 0.5 s and a bound that doubles from 1 s to 8 s. */
function backoffMs(attempts: number, random: () => number): number {
  const bound = Math.min(longestDelayMs, 1_000 * 2 ** (attempts - 1));
  return shortestDelayMs + random() * (bound - shortestDelayMs);
}

/**
 * Implements the retry table in the guide on errors, for requests that are safe to repeat.
 *
 * - No response, or a 5xx without a problem document: retry.
 * - 408, 429, 503 and every other problem document with `retryable`: retry.
 * - 429 `authentication_throttled`: retry only if the pair is known to be valid.
 * - 500 `internal_error`: retry once.
 * - Everything else: do not retry.
 *
 * @returns the delay before the next attempt in milliseconds, or undefined if there must be none.
 *   Never shorter than `Retry-After`
 */
export function retryDelayMs(outcome: Failure, progress: Progress, random: () => number): number | undefined {
  const delayMs = backoffMs(progress.attempts, random);
  if (outcome.kind === 'foreign') return undefined;
  if (outcome.kind === 'lost') return outcome.retryAfterMs ?? delayMs;
  const { code, status, retryable, retryAfterMs } = outcome.error;
  if (code === 'internal_error') return progress.internalErrors <= 1 ? (retryAfterMs ?? delayMs) : undefined;
  if (!retryable || (code === 'authentication_throttled' && !progress.isPairKnown)) return undefined;
  if (retryAfterMs !== undefined) return retryAfterMs;
  return status === 408 ? Math.max(1_000, delayMs) : delayMs;
}
