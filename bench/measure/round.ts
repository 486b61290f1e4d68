import type { ClosedLoopResult, Job } from '../load/job';
import type { LoadProcess } from '../load/load-process';
import { backendTimes, secondsBetween } from './backends';
import { processorSeconds } from './processor-time';

/** Results of one program in one round. */
export interface Round {
  requestsPerSecond: number;
  /** Error responses, not included in the successful ones. */
  refused: number;
  p50: number;
  p99: number;
  /** CPU milliseconds per request; null if unknown. */
  nodeMilliseconds: number | null;
  postgresMilliseconds: number | null;
}

/** A round with a larger share of rejected requests is invalid. */
export const mostRefused = 0.01;

/**
 * Runs one program under load while all others are stopped.
 *
 * @throws Error if requests failed or too many were rejected
 */
export async function measureRound(
  load: LoadProcess<Job, ClosedLoopResult>,
  job: Job,
  processIds: readonly number[],
  adminUrl: string,
): Promise<Round> {
  const node = (): number => processIds.reduce((sum, id) => sum + (processorSeconds(id) ?? NaN), 0);
  const [nodeBefore, backendsBefore] = [node(), await backendTimes(adminUrl)];
  const result = await load.run(job);
  const [nodeAfter, backendsAfter] = [node(), await backendTimes(adminUrl)];
  const { succeeded, refused, errors, seconds, milliseconds } = result;
  if (refused > succeeded * mostRefused || errors > 0 || succeeded === 0) {
    throw new Error(`${job.url}: ${succeeded} succeeded, ${refused} refused, ${errors} errors`);
  }
  const each = (total: number): number | null => (Number.isFinite(total) ? (total * 1000) / succeeded : null);
  const isKnown = typeof backendsBefore !== 'string' && typeof backendsAfter !== 'string';
  return {
    requestsPerSecond: succeeded / seconds,
    refused,
    ...milliseconds,
    nodeMilliseconds: each(nodeAfter - nodeBefore),
    postgresMilliseconds: isKnown ? each(secondsBetween(backendsBefore, backendsAfter)) : null,
  };
}
