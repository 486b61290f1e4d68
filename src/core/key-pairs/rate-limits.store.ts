import type { Database } from '../../db/pool/database';
import { membersOf, query } from '../../db/query';
import type { RateLimits } from '../../shared/scopes';
import { keyPairChannel } from '../../shared/key-pair-channel';

export type RateLimitsStore = ReturnType<typeof createRateLimitsStore>;

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
   SELECT ${membersOf('changed', 'requestsPerSecond', 'completionsPerSecond')} FROM changed, notified`,
);

/**
 * Rate limits of environments. Processes cache them with each key pair. A change therefore notifies
 * them of all key pairs of the environment.
 */
export function createRateLimitsStore(database: Pick<Database, 'run'>) {
  return {
    /** Changes the given limits and notifies every process; null restores the service's setting. */
    async set(
      environmentId: number,
      { requestsPerSecond, completionsPerSecond }: Partial<RateLimits>,
    ): Promise<RateLimits> {
      const [row] = await database.run<RateLimits>(setRateLimits, [
        environmentId,
        requestsPerSecond !== undefined,
        requestsPerSecond ?? null,
        completionsPerSecond !== undefined,
        completionsPerSecond ?? null,
      ]);
      return row ?? { requestsPerSecond: null, completionsPerSecond: null };
    },
  };
}
