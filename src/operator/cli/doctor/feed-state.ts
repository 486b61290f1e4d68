import type { Database } from '../../../db/pool/database';

export interface FeedState {
  /** The age of the oldest event that is not in the feeds, in seconds; 0 if there is none. */
  lagSeconds: number;
  /** Processes of the server with a transaction that is open for ten minutes, oldest first. */
  oldTransactions: string[];
  /** Webhook endpoints whose deliveries are stopped because they fail. */
  failingEndpoints: number;
}

/**
 * The state of the queue of events. An open transaction keeps the deleted rows of the queue, which
 * makes the relay slower with every event.
 */
export async function readFeedState(database: Pick<Database, 'runUnprepared'>): Promise<FeedState> {
  const [queue] = await database.runUnprepared<{ lag_seconds: number }>(
    `SELECT COALESCE(extract(epoch FROM clock_timestamp() - min(q.queued_at)), 0)::float8 AS lag_seconds
       FROM event_queue q`,
    [],
  );
  // By itself, because Citus rejects a system view beside a distributed table.
  const rows = await database.runUnprepared<{ process: string }>(
    `SELECT format('process %s of %s', a.pid, a.usename) AS process FROM pg_stat_activity a
      WHERE a.datname = current_database() AND a.backend_xmin IS NOT NULL
        AND a.xact_start < clock_timestamp() - interval '10 minutes'
      ORDER BY a.xact_start LIMIT 5`,
    [],
  );
  const [endpoints] = await database.runUnprepared<{ failing: number }>(
    `SELECT count(*)::integer AS failing FROM webhook_endpoints w
      WHERE w.next_probe_at IS NOT NULL AND w.disabled_at IS NULL`,
    [],
  );
  return {
    lagSeconds: queue?.lag_seconds ?? 0,
    oldTransactions: rows.map(({ process }) => process),
    failingEndpoints: endpoints?.failing ?? 0,
  };
}
