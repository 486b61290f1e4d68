import type { Database } from '../../db/pool/database';
import { statement } from '../../db/statement';

/** The outcome of a reset. `moved`: the key pair already belongs to another environment. */
export type ResetOutcome =
  | {
      kind: 'reset';
      /** The environment that replaced the retired one. */
      environmentId: number;
      resetAt: Date;
      /** The number of further resets that are possible within 24 hours. */
      resetsLeft: number;
      /** The key pairs that moved. */
      apiKeys: string[];
    }
  | { kind: 'moved' }
  | { kind: 'too_many'; retryAfterSeconds: number };

export type ResetsStore = ReturnType<typeof createResetsStore>;

// $1 environment_id, $2 the maximum number of resets within 24 hours
const resetSandbox = statement(
  'reset_sandbox',
  `
  SELECT outcome, new_environment_id, reset_at, resets_left, retry_after_seconds, api_keys,
         append_reset_events(new_environment_id, reset_at) AS banks
    FROM reset_sandbox($1, $2)
  `,
  { writes: true },
);

interface ResetRow {
  outcome: 'reset' | 'moved' | 'too_many' | 'not_test';
  new_environment_id: number;
  reset_at: Date;
  resets_left: number;
  retry_after_seconds: number;
  api_keys: string[] | null;
}

export function createResetsStore(database: Pick<Database, 'run'>) {
  return {
    /**
     * Replaces a test environment with an empty one. Notifies every process, and tells the banks.
     */
    async reset(environmentId: number, mostPerDay: number): Promise<ResetOutcome> {
      const [row] = await database.run<ResetRow>(resetSandbox, [environmentId, mostPerDay]);
      if (!row || row.outcome === 'not_test') throw new Error('only a test environment can be reset');
      if (row.outcome === 'moved') return { kind: 'moved' };
      if (row.outcome === 'too_many') return { kind: 'too_many', retryAfterSeconds: row.retry_after_seconds };
      return {
        kind: 'reset',
        environmentId: row.new_environment_id,
        resetAt: row.reset_at,
        resetsLeft: row.resets_left,
        apiKeys: row.api_keys ?? [],
      };
    },
  };
}
