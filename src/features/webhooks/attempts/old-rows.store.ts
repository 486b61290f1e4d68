import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import type { Trim } from './hourly-trim';

const mostDeletedAtOnce = 5_000;
const mostEnvironmentsAtOnce = 100;
/** Attempts are listed, and replays are kept after their end, for this time. */
const usualDays = 30;

/** Deletes the rows of a table that are older than a number of days. */
const trimOf = (table: string, key: string, time: string) => ({
  // Reads all environments. Each is then trimmed separately.
  // $1 days
  list: query(
    `list_${table}_to_trim`,
    `
  SELECT DISTINCT o.environment_id
    FROM ${table} o
   WHERE o.${time} < statement_timestamp() - $1::integer * interval '1 day'
   LIMIT ${mostEnvironmentsAtOnce}
  `,
  ),
  // $1 environment_id, $2 days
  remove: query(
    `trim_${table}`,
    `
  DELETE FROM ${table} d
   WHERE d.environment_id = $1 AND (${key}) IN (
     SELECT ${key} FROM ${table} o
      WHERE o.environment_id = $1 AND o.${time} < statement_timestamp() - $2::integer * interval '1 day'
      LIMIT ${mostDeletedAtOnce}
   )
  `,
  ),
});

const attempts = trimOf('webhook_attempts', 'attempt_id', 'attempted_at');
const deliveries = trimOf('webhook_deliveries', 'endpoint_id, first_attempt_id', 'recorded_at');
const replays = trimOf('webhook_replays', 'replay_id', 'ended_at');

/** @param successDays the days for which successes are listed */
export function createOldRowsStore(database: Pick<Database, 'run'>, successDays: number): { trim: Trim } {
  return {
    async trim(isStopped) {
      let found = 0;
      for (const [{ list, remove }, days] of [
        [attempts, usualDays],
        [deliveries, successDays],
        [replays, usualDays],
      ] as const) {
        if (isStopped()) return true;
        const environments = await database.run<{ environment_id: number }>(list, [days]);
        for (const { environment_id: environmentId } of environments)
          if (!isStopped()) await database.run(remove, [environmentId, days]);
        found += environments.length;
      }
      return found > 0;
    },
  };
}
