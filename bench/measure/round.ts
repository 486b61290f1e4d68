import type { ClosedLoopResult, Job } from '../load/job';
import type { LoadProcess } from '../load/load-process';
import { backendTimes, secondsBetween } from './backends';
import { processorSeconds } from './processor-time';

/** What one program did in one round. */
export interface Round {
  requestsPerSecond: number;
  /** Answered with an error, and not counted as answered. */
  refused: number;
  p50: number;
  p99: number;
  /** Milliseconds of processor time of each request; null where they cannot be known. */
  nodeMilliseconds: number | null;
  postgresMilliseconds: number | null;
}

/** With more than this share of requests refused, what was measured is something else. */
export const mostRefused = 0.01;

/**
 * One program under load for a while, everything else idle.
 *
 * @throws Error when requests broke, or too many were refused
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
  const { answered, refused, errors, seconds, milliseconds } = result;
  if (refused > answered * mostRefused || errors > 0 || answered === 0) {
    throw new Error(`${job.url}: ${answered} answered, ${refused} refused, ${errors} errors`);
  }
  const each = (total: number): number | null => (Number.isFinite(total) ? (total * 1000) / answered : null);
  const isKnown = typeof backendsBefore !== 'string' && typeof backendsAfter !== 'string';
  return {
    requestsPerSecond: answered / seconds,
    refused,
    ...milliseconds,
    nodeMilliseconds: each(nodeAfter - nodeBefore),
    postgresMilliseconds: isKnown ? each(secondsBetween(backendsBefore, backendsAfter)) : null,
  };
}
