import { DatabaseFailure } from '../errors';
import type { Database } from '../pool/database';
import { ReplyTimeout } from '../pool/reply-timeout';
import type { LimitWork } from '../../shared/limit-work';
import { readIsCluster } from './has-citus';
import { isOwnTimeout } from './uncertain-timeouts';

/** An environment stays limited for this time after its last timeout. */
const limitedForMs = 30_000;

/**
 * If a worker of a Citus cluster hangs, instead of failing, each request for it holds a database
 * connection for seconds. A few requests per second would then take all connections from the
 * environments on other workers. This limits the requests of environments whose last request timed
 * out, until a request proves that their worker responds. On one server, nothing is limited.
 *
 * @param spare a connection that such requests cannot occupy
 * @param most how many requests of limited environments may be in progress
 */
export function limitHangingWorkers(
  spare: Pick<Database, 'runUnprepared'>,
  most: number,
  now: () => number = () => performance.now(),
): LimitWork {
  /** The times of the last timeouts, by environment. */
  const timeouts = new Map<number, number>();
  let inProgress = 0;

  async function note(environmentId: number, error: unknown): Promise<void> {
    const failure = failureIn(error);
    const hasNoReply = failure?.cause instanceof ReplyTimeout;
    if (!hasNoReply && !isOwnTimeout(failure?.cause)) return;
    // Without a reply, the coordinator itself may hang.
    if (await readIsCluster(spare).catch(() => false)) timeouts.set(environmentId, now());
  }

  function isLimited(environmentId: number): boolean {
    const at = timeouts.get(environmentId);
    if (at === undefined) return false;
    if (now() - at <= limitedForMs) return true;
    timeouts.delete(environmentId);
    return false;
  }

  async function pause(wait: () => Promise<void>): Promise<void> {
    inProgress -= 1;
    try {
      await wait();
    } finally {
      inProgress += 1;
    }
  }

  return async (environmentId, proves, work) => {
    const isCounted = isLimited(environmentId);
    if (isCounted && inProgress >= most) {
      throw new DatabaseFailure('unavailable', 'nothing', new Error('the worker does not respond'));
    }
    if (isCounted) inProgress += 1;
    try {
      const result = await work(isCounted ? pause : undefined);
      if (proves(result)) timeouts.delete(environmentId);
      return result;
    } catch (error) {
      // The response does not wait for this.
      void note(environmentId, error);
      throw error;
    } finally {
      if (isCounted) inProgress -= 1;
    }
  };
}

/** The failure of the database that caused this error. */
function failureIn(error: unknown): DatabaseFailure | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DatabaseFailure) return cause;
  }
  return undefined;
}
