import type { PooledDatabase } from '../../db/pool/database';
import { DatabaseFailure } from '../../db/errors';
import { missingMigrations, readSchemaState } from '../../db/migrations/schema-state';
import type { ErrorCode } from '../../shared/errors';

export type Readiness = { code: undefined } | { code: ErrorCode; detail: string; cause?: unknown };

export interface HealthService {
  readiness(): Promise<Readiness>;
  /** Makes the service report that it is not ready. */
  beginShutdown(): void;
  isShuttingDown: () => boolean;
}

const writesRejected =
  'The service rejects writes because the database does not confirm commits. The synchronous standby may be down. Reads still work.';

export function createHealthService(
  database: Pick<PooledDatabase, 'runUnprepared' | 'poolState'>,
): HealthService {
  let isShuttingDown = false;
  let check: Promise<Readiness> | undefined;

  async function checkDatabase(): Promise<Readiness> {
    try {
      // A newer schema is fine, because migrations only add.
      const problem = missingMigrations(await readSchemaState(database));
      return problem === undefined ? { code: undefined } : { code: 'database_unavailable', detail: problem };
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
