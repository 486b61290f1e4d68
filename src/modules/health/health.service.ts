import { createReachableTenants } from '../../db/citus/reachable-tenants';
import type { PooledDatabase } from '../../db/pool/database';
import { DatabaseFailure } from '../../db/errors';
import { missingParts, readSchemaState } from '../../db/migrations/schema-state';
import type { ErrorCode } from '../../shared/errors';

/** `reachableShare`: the share of the tenants whose worker responds, on Citus only; from 0 to 1. */
export type Readiness =
  | { code: undefined; reachableShare: number | undefined }
  | { code: ErrorCode; detail: string; cause?: unknown };

export interface HealthService {
  readiness(): Promise<Readiness>;
  /** Makes the service report that it is not ready. */
  beginShutdown(): void;
  isShuttingDown: () => boolean;
}

const writesRejected =
  'The service rejects writes because the database does not confirm commits. The synchronous standby may be down. Reads still work.';

const noWorker = 'No worker of the database cluster responds.';

/**
 * @param readShare reads the share of the tenants that can be served
 * @throws DatabaseFailure if the database does not respond, or if all connections are busy
 */
async function checkOn(
  database: Pick<PooledDatabase, 'runUnprepared'>,
  readShare: () => Promise<number | undefined>,
): Promise<Readiness> {
  // A newer schema is fine, because migrations only add to it.
  const problem = missingParts(await readSchemaState(database));
  if (problem !== undefined) return { code: 'database_unavailable', detail: problem };
  const reachableShare = await readShare();
  return reachableShare === 0
    ? { code: 'database_unavailable', detail: noWorker }
    : { code: undefined, reachableShare };
}

export function createHealthService(
  database: Pick<PooledDatabase, 'runUnprepared' | 'runReadOnly' | 'poolState' | 'spare'>,
): HealthService {
  let isShuttingDown = false;
  let check: Promise<Readiness> | undefined;
  const reachableTenants = createReachableTenants(database);
  let lastShare: number | undefined;

  async function readShare(): Promise<number | undefined> {
    lastShare = await reachableTenants.share();
    return lastShare;
  }

  /**
   * A pool that is busy says nothing about the database. If the process were not ready then, a load
   * balancer would send its requests to the other processes, and overload them too. One connection
   * cannot ask all workers in time, so the last share stays.
   */
  async function checkDatabase(): Promise<Readiness> {
    try {
      return await checkOn(database, readShare).catch((error: unknown) => {
        const isBusy = error instanceof DatabaseFailure && error.reason === 'pool_exhausted';
        if (!isBusy) throw error;
        return checkOn(database.spare, () => Promise.resolve(lastShare));
      });
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      return { code: 'database_unavailable', detail: 'The database does not respond.', cause: error };
    }
  }

  return {
    async readiness() {
      if (isShuttingDown) return { code: 'shutting_down', detail: 'This instance is shutting down.' };
      if (database.poolState().rejectsWrites) return { code: 'database_unavailable', detail: writesRejected };
      // Anyone can send this request, so concurrent requests share one check and one connection.
      check ??= checkDatabase().finally(() => {
        check = undefined;
      });
      return check;
    },
    isShuttingDown: () => isShuttingDown,
    beginShutdown() {
      isShuttingDown = true;
    },
  };
}
