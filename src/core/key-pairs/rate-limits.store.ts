import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import type { RateLimits } from '../../shared/scopes';
import { keyPairChannel } from '../../shared/key-pair-channel';

/**
 * Rate limits of environments. Processes cache them with each key pair. A change therefore notifies
 * them of all key pairs of the environment.
 */
export interface RateLimitsStore {
  /** Changes the given limits and notifies every process; null restores the service's setting. */
  set(environmentId: number, limits: Partial<RateLimits>): Promise<RateLimits>;
}

const setRateLimits = query(
  'set_rate_limits',
  `WITH changed AS (
     UPDATE environments
        SET requests_per_second = CASE WHEN $2 THEN $3::integer ELSE requests_per_second END,
            completions_per_second = CASE WHEN $4 THEN $5::integer ELSE completions_per_second END
      WHERE environment_id = $1
     RETURNING environment_id, requests_per_second, completions_per_second
   ),
   notified AS (
     SELECT count(pg_notify('${keyPairChannel}', k.api_key)) FROM key_pairs k JOIN changed USING (environment_id)
      WHERE k.revoked_at IS NULL
   )
   SELECT requests_per_second, completions_per_second FROM changed, notified`,
);

export function createRateLimitsStore(database: Pick<Database, 'run'>): RateLimitsStore {
  return {
    async set(environmentId, { requestsPerSecond, completionsPerSecond }) {
      const [row] = await database.run<{
        requests_per_second: number | null;
        completions_per_second: number | null;
      }>(setRateLimits, [
        environmentId,
        requestsPerSecond !== undefined,
        requestsPerSecond ?? null,
        completionsPerSecond !== undefined,
        completionsPerSecond ?? null,
      ]);
      return {
        requestsPerSecond: row?.requests_per_second ?? null,
        completionsPerSecond: row?.completions_per_second ?? null,
      };
    },
  };
}
