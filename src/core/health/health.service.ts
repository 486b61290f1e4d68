import type { PooledDatabase } from '../../db/pool/database';
import { DatabaseFailure } from '../../db/errors';
import { missingParts, readSchemaState } from '../../db/migrations/schema-state';
import { roomTrial, roomTrialSettings, tryRoom } from '../../db/pool/room-trial';
import type { RejectionCause } from '../../db/pool/write-guard';
import { codeOfReason } from '../../http/errors/database-problem';
import type { ErrorCode } from '../../shared/errors';

/** `reachableShare`: the share of the tenants whose server responds; undefined on one server. */
export type Readiness =
  | { code: undefined; reachableShare: number | undefined }
  | { code: ErrorCode; detail: string; cause?: unknown };

export type HealthService = ReturnType<typeof createHealthService>;

/** Why the database stores nothing. Shows nothing internal, because anyone may ask. */
const noStorage = {
  no_room: 'The database has no room: it lacks disk space or memory. Reads may still work.',
  read_only: 'The database is read-only: it is a standby, or its disk is almost full. Reads still work.',
};

const rejections: Record<RejectionCause, string> = {
  ...noStorage,
  unavailable:
    'The service rejects writes because it cannot open a connection to the database. Reads may still work.',
  unconfirmed:
    'The service rejects writes because the database does not confirm commits. The synchronous standby may be down. Reads still work.',
};

/** A successful trial counts for this time, unless a query fails because it lacks room. */
const trialCountsMs = 30_000;

const noWorker = 'No worker of the database cluster responds.';

/**
 * @param readShare reads the share of the tenants that can be served
 * @throws DatabaseFailure if the database does not respond, or if all connections are busy
 */
async function checkOn(
  database: Pick<PooledDatabase, 'runUnprepared' | 'runReadOnly'>,
  tryStorage: (database: Pick<PooledDatabase, 'runReadOnly'>) => Promise<void>,
  readShare: () => Promise<number | undefined>,
): Promise<Readiness> {
  // A newer schema is fine, because migrations only add to it.
  const problem = missingParts(await readSchemaState(database));
  if (problem !== undefined) return { code: 'database_unavailable', detail: problem };
  await tryStorage(database);
  const reachableShare = await readShare();
  return reachableShare === 0
    ? { code: 'database_unavailable', detail: noWorker }
    : { code: undefined, reachableShare };
}

export function createHealthService(
  database: Pick<PooledDatabase, 'runUnprepared' | 'runReadOnly' | 'poolState' | 'spare' | 'cluster'>,
) {
  let isShuttingDown = false;
  let check: Promise<Readiness> | undefined;
  let lastShare: number | undefined;

  /** The last trial that succeeded, and the number of failures before it. */
  let stored: { at: number; failures: number } | undefined;

  /** @throws DatabaseFailure no_room or read_only */
  async function tryStorage(on: Pick<PooledDatabase, 'runReadOnly'>): Promise<void> {
    const { storageFailures: failures } = database.poolState();
    const at = performance.now();
    if (stored?.failures === failures && at - stored.at < trialCountsMs) return;
    await tryRoom(() => on.runReadOnly(roomTrial, [], roomTrialSettings));
    stored = { at, failures };
  }

  async function readShare(): Promise<number | undefined> {
    lastShare = await database.cluster?.reachableShare();
    return lastShare;
  }

  /**
   * A pool that is busy says nothing about the database. If the process were not ready then, a load
   * balancer would send its requests to the other processes, and overload them too. One connection
   * cannot ask all servers in time, so the last share stays.
   */
  async function checkDatabase(): Promise<Readiness> {
    try {
      return await checkOn(database, tryStorage, readShare).catch((error: unknown) => {
        const isBusy = error instanceof DatabaseFailure && error.reason === 'pool_exhausted';
        if (!isBusy) throw error;
        return checkOn(database.spare, tryStorage, () => Promise.resolve(lastShare));
      });
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      const { reason } = error;
      const isOfStorage = reason === 'no_room' || reason === 'read_only';
      return {
        code: isOfStorage ? codeOfReason[reason] : 'database_unavailable',
        detail: isOfStorage ? noStorage[reason] : 'The database does not respond.',
        cause: error,
      };
    }
  }

  return {
    async readiness(): Promise<Readiness> {
      if (isShuttingDown) return { code: 'shutting_down', detail: 'This instance is shutting down.' };
      const { writesRejected } = database.poolState();
      if (writesRejected !== undefined)
        return { code: codeOfReason[writesRejected], detail: rejections[writesRejected] };
      // Anyone can send this request, so concurrent requests share one check and one connection.
      check ??= checkDatabase().finally(() => {
        check = undefined;
      });
      return check;
    },
    isShuttingDown: () => isShuttingDown,
    /** Makes the service report that it is not ready. */
    beginShutdown() {
      isShuttingDown = true;
    },
  };
}
