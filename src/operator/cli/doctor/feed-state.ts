import type { Database } from '../../../db/pool/database';

export interface FeedState {
  /** The age of the oldest event that is not in the feeds, in seconds; 0 if there is none. */
  lagSeconds: number;
  /** Processes of the server with a transaction that is open for ten minutes, oldest first. */
  oldTransactions: string[];
}

/**
 * The state of the queue of events. An open transaction keeps the deleted rows of the queue, which
 * makes the relay slower with every event.
 */
export async function readFeedState(database: Pick<Database, 'runUnprepared'>): Promise<FeedState> {
  const [row] = await database.runUnprepared<{ lag_seconds: number; old_transactions: string[] }>(
    `SELECT (SELECT COALESCE(extract(epoch FROM clock_timestamp() - min(q.queued_at)), 0) FROM event_queue q)::float8
              AS lag_seconds,
            ARRAY(SELECT format('process %s of %s', a.pid, a.usename) FROM pg_stat_activity a
                   WHERE a.datname = current_database() AND a.backend_xmin IS NOT NULL
                     AND a.xact_start < clock_timestamp() - interval '10 minutes'
                   ORDER BY a.xact_start LIMIT 5) AS old_transactions`,
    [],
  );
  return { lagSeconds: row?.lag_seconds ?? 0, oldTransactions: row?.old_transactions ?? [] };
}
