import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';

/** The outcome of a reset. `moved`: the key pair already belongs to another environment. */
export interface ResetOutcome {
  outcome: 'reset' | 'moved' | 'too_many';
  /** The environment that replaced the retired one. */
  environmentId: number;
  resetAt: Date;
  /** The number of further resets that are possible within 24 hours. */
  resetsLeft: number;
  retryAfterSeconds: number;
  /** The key pairs that moved. */
  apiKeys: string[];
}

export type ResetsStore = ReturnType<typeof createResetsStore>;

// $1 environment_id, $2 the maximum number of resets within 24 hours
const resetSandbox = query(
  'reset_sandbox',
  `
  SELECT outcome, new_environment_id AS "environmentId", reset_at AS "resetAt", resets_left AS "resetsLeft",
         retry_after_seconds AS "retryAfterSeconds", COALESCE(api_keys, '{}') AS "apiKeys",
         append_reset_events(new_environment_id, reset_at) AS banks
    FROM reset_sandbox($1, $2)
  `,
  { writes: true },
);

export function createResetsStore(database: Pick<Database, 'run'>) {
  return {
    /**
     * Replaces a test environment with an empty one. Notifies every process, and tells the banks.
     */
    async reset(environmentId: number, mostPerDay: number): Promise<ResetOutcome> {
      const values = [environmentId, mostPerDay];
      const [row] = await database.run<ResetOutcome | { outcome: 'not_test' }>(resetSandbox, values);
      if (!row || row.outcome === 'not_test') throw new Error('only a test environment can be reset');
      return row;
    },
  };
}
