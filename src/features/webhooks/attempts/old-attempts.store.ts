import type { Database } from '../../../db/pool/database';
import { statement } from '../../../db/statement';
import type { Trim } from './hourly-trim';

export interface OldAttemptsStore {
  /** Deletes attempts that are no longer listed. */
  trim: Trim;
}

const mostDeletedAtOnce = 5_000;
const mostEnvironmentsAtOnce = 100;

// Both lists read all environments. Only the courier uses them, and it trims each environment
// separately.
const listEnvironments = statement(
  'list_webhook_attempts_to_trim',
  `
  SELECT DISTINCT a.environment_id
    FROM webhook_attempts a
   WHERE a.attempted_at < statement_timestamp() - interval '30 days'
   LIMIT ${mostEnvironmentsAtOnce}
  `,
);

// $1 environment_id
const trimAttempts = statement(
  'trim_webhook_attempts',
  `
  DELETE FROM webhook_attempts a
   WHERE a.environment_id = $1 AND a.attempt_id IN (
     SELECT o.attempt_id FROM webhook_attempts o
      WHERE o.environment_id = $1 AND o.attempted_at < statement_timestamp() - interval '30 days'
      LIMIT ${mostDeletedAtOnce}
   )
  `,
);

// $1 days
const listEnvironmentsOfDeliveries = statement(
  'list_webhook_deliveries_to_trim',
  `
  SELECT DISTINCT d.environment_id
    FROM webhook_deliveries d
   WHERE d.recorded_at < statement_timestamp() - $1::integer * interval '1 day'
   LIMIT ${mostEnvironmentsAtOnce}
  `,
);

// $1 environment_id, $2 days
const trimDeliveries = statement(
  'trim_webhook_deliveries',
  `
  DELETE FROM webhook_deliveries d
   WHERE d.environment_id = $1 AND (d.endpoint_id, d.first_attempt_id) IN (
     SELECT o.endpoint_id, o.first_attempt_id FROM webhook_deliveries o
      WHERE o.environment_id = $1 AND o.recorded_at < statement_timestamp() - $2::integer * interval '1 day'
      LIMIT ${mostDeletedAtOnce}
   )
  `,
);

/** @param successDays the days for which successes are listed */
export function createOldAttemptsStore(
  database: Pick<Database, 'run'>,
  successDays: number,
): OldAttemptsStore {
  return {
    async trim(isStopped) {
      const environments = await database.run<{ environment_id: number }>(listEnvironments, []);
      for (const { environment_id: environmentId } of environments)
        if (!isStopped()) await database.run(trimAttempts, [environmentId]);
      if (isStopped()) return true;
      const others = await database.run<{ environment_id: number }>(listEnvironmentsOfDeliveries, [
        successDays,
      ]);
      for (const { environment_id: environmentId } of others)
        if (!isStopped()) await database.run(trimDeliveries, [environmentId, successDays]);
      return environments.length + others.length > 0;
    },
  };
}
