import type { Database } from '../../db/pool/database';
import { visibilityHorizon, visibilityHorizonOf } from './visibility-horizon.query';

/** The times that the first page of a list fixes for all pages. */
export interface Horizon {
  /** Every contribution with an earlier time is visible. */
  completeUntil: Date;
  readonly readAt: Date;
  /** Whether `completeUntil` already covers all environments. */
  readonly isOfAll: boolean;
}

export function createHorizons(database: Pick<Database, 'run' | 'runUnprepared'>) {
  return {
    /** Call this before any row is read. */
    async read(requestId: string): Promise<Horizon> {
      const [row] = await database.runUnprepared<{
        complete_until: Date;
        read_at: Date;
        is_cluster: boolean;
      }>(visibilityHorizon, [], { name: 'read_visibility_horizon', requestId });
      if (!row) throw new Error('the visibility horizon has no row');
      return { completeUntil: row.complete_until, readAt: row.read_at, isOfAll: !row.is_cluster };
    },
    /** Makes the horizon cover an environment. Call this before its rows are read. */
    async include(horizon: Horizon, environmentId: number) {
      if (horizon.isOfAll) return;
      const [row] = await database.run<{ complete_until: Date }>(visibilityHorizonOf, [environmentId]);
      if (!row) throw new Error('the visibility horizon of an environment has no row');
      if (row.complete_until < horizon.completeUntil) horizon.completeUntil = row.complete_until;
    },
  };
}
