import { DatabaseFailure } from '../errors';
import type { Database } from '../pool/database';
import { ReplyTimeout } from '../pool/reply-timeout';
import type { LimitWork } from '../../shared/limit-work';
import { isOwnTimeout } from './uncertain-timeouts';

/** An environment stays limited for this time after the last timeout of any environment. */
const suspectForMs = 10_000;

/**
 * If a worker of a Citus cluster hangs, instead of failing, each request for it holds a database
 * connection for seconds. A few requests per second would then take all connections from the
 * environments on other workers. This limits the requests of environments whose last request timed
 * out. A change that succeeds shows that the worker responds again; a read may need no worker. On
 * PostgreSQL, nothing is limited.
 *
 * @param spare a connection that such requests cannot occupy
 * @param most how many requests of limited environments may be in progress
 */
export function limitHangingWorkers(
  spare: Pick<Database, 'runUnprepared'>,
  most: number,
  now: () => number = () => performance.now(),
): LimitWork {
  const suspects = new Set<number>();
  let lastTimeoutAt = -Infinity;
  let inProgress = 0;
  let hasCitus: boolean | undefined;

  async function note(environmentId: number, error: unknown): Promise<void> {
    if (hasCitus === false || !isTimeout(error)) return;
    hasCitus ??= await readHasCitus(spare);
    if (hasCitus !== true) return;
    suspects.add(environmentId);
    lastTimeoutAt = now();
  }

  return async (environmentId, changes, work) => {
    if (suspects.size > 0 && now() - lastTimeoutAt > suspectForMs) suspects.clear();
    const isSuspect = suspects.has(environmentId);
    if (isSuspect && inProgress >= most) {
      throw new DatabaseFailure('unavailable', 'nothing', new Error('the worker does not respond'));
    }
    if (isSuspect) inProgress += 1;
    try {
      const result = await work();
      if (changes) suspects.delete(environmentId);
      return result;
    } catch (error) {
      // The response does not wait for this.
      void note(environmentId, error);
      throw error;
    } finally {
      if (isSuspect) inProgress -= 1;
    }
  };
}

/** Whether no reply came in time, or the coordinator cancelled the statement. */
function isTimeout(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DatabaseFailure) return cause.cause instanceof ReplyTimeout || isOwnTimeout(cause);
  }
  return false;
}

/** Undefined if the coordinator does not respond. */
async function readHasCitus(spare: Pick<Database, 'runUnprepared'>): Promise<boolean | undefined> {
  try {
    const [row] = await spare.runUnprepared<{ has_citus: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS has_citus`,
      [],
    );
    return row?.has_citus;
  } catch {
    return undefined;
  }
}
