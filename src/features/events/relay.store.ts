import type { Database } from '../../db/pool/database';
import { enableWarnings, query } from '../../db/query';

export type RelayStore = ReturnType<typeof createRelayStore>;

const relayEvents = query('relay_events', `SELECT event_count, ${enableWarnings} FROM relay_events($1, $2)`, {
  writes: true,
});

const listEnvironments = query(
  'list_environments_of_relay',
  `SELECT e.environment_id FROM environments e WHERE e.environment_id > 0 ORDER BY e.environment_id`,
);

const expireEvents = query('expire_feed_events', `SELECT expire_feed_events($1, $2) AS count`, {
  writes: true,
});

const readLag = query(
  'read_feed_lag',
  `
  SELECT COALESCE(extract(epoch FROM clock_timestamp() - min(q.queued_at)), 0)::float8 AS seconds
    FROM event_queue q
   WHERE q.retry_at IS NULL
  `,
);

// Reads all environments, for the metrics and the log.
const countFailed = query(
  'count_failed_events',
  `SELECT count(*)::integer AS count FROM event_queue q WHERE q.retry_at IS NOT NULL`,
);

export function createRelayStore(database: Pick<Database, 'run'>) {
  return {
    /**
     * Moves the oldest queued events to the feeds, or those of one environment, unless another
     * relay is doing so. Returns their number.
     */
    async relay(most: number, environmentId?: number) {
      const [row] = await database.run<{ event_count: number }>(relayEvents, [most, environmentId ?? null]);
      return row?.event_count ?? 0;
    },
    environments: async () => {
      const rows = await database.run<{ environment_id: number }>(listEnvironments, []);
      return rows.map((row) => row.environment_id);
    },
    /**
     * Deletes events that the feeds, or the feed of one environment, no longer need to keep.
     * Returns their number.
     */
    async expire(most: number, environmentId?: number) {
      const [row] = await database.run<{ count: number }>(expireEvents, [most, environmentId ?? null]);
      return row?.count ?? 0;
    },
    /** The number of queued events that have failed, those that are set aside among them. */
    failedCount: async () => {
      const [row] = await database.run<{ count: number }>(countFailed, []);
      return row?.count ?? 0;
    },
    /**
     * The age of the oldest event that is not yet in the feeds and has not failed, in seconds; 0 if
     * there is none.
     */
    lagSeconds: async () => {
      const [row] = await database.run<{ seconds: number }>(readLag, []);
      return Math.max(0, row?.seconds ?? 0);
    },
  };
}
