import type { Database } from '../../db/pool/database';

type Reader = Pick<Database, 'runUnprepared'>;

export interface FeedState {
  /**
   * The age of the oldest event that is not in the feeds and has not failed, in seconds; 0 if there
   * is none.
   */
  lagSeconds: number;
  /** The number of events that the relay could not write to the feeds. */
  failedEvents: number;
}

/** Sessions that keep the event queue from shrinking. A login may not see all of them. */
export interface QueueBlockers {
  /** Sessions and prepared transactions that have been open for too long, oldest first. */
  oldTransactions: string[];
  /** Sessions that have held the lock of the relay for a minute. */
  lockHolders: string[];
  /** Process ids of sessions whose transactions this login cannot see. */
  hidden: number[];
}

/** The state of the event queue. */
export async function readFeedState(database: Reader): Promise<FeedState> {
  const [queue] = await database.runUnprepared<{ lag_seconds: number; failed: number }>(
    `SELECT COALESCE(extract(epoch FROM clock_timestamp() - min(q.queued_at) FILTER (WHERE q.retry_at IS NULL)), 0)::float8
              AS lag_seconds,
            (count(*) FILTER (WHERE q.retry_at IS NOT NULL))::integer AS failed
       FROM event_queue q`,
    [],
  );
  return {
    lagSeconds: queue?.lag_seconds ?? 0,
    failedEvents: queue?.failed ?? 0,
  };
}

/**
 * Finds what keeps the queue from shrinking. An open transaction keeps its deleted rows, which
 * makes the relay slower with every event. It can also lock a feed: backend_xid is set if it has
 * written, also between two queries. A login sees the transactions of its own role only, unless
 * it has pg_read_all_stats.
 *
 * @param oldSeconds the age of an old transaction
 * @param lockSeconds how long a session may hold the lock of the relay
 */
export async function readQueueBlockers(
  database: Reader,
  oldSeconds = 600,
  lockSeconds = oldSeconds / 10,
): Promise<QueueBlockers> {
  // Separate queries: a cluster rejects a system view and a distributed table in one query.
  const open = await database.runUnprepared<{ owner: string }>(
    `SELECT o.owner FROM (
       SELECT format('process %s of %s (%s, %s since %s UTC)', a.pid, a.usename,
                COALESCE(NULLIF(a.application_name, ''), 'no name'), a.state,
                to_char(a.xact_start AT TIME ZONE 'UTC', 'HH24:MI:SS')) AS owner, a.xact_start AS since
         FROM pg_stat_activity a
        WHERE a.datname = current_database() AND a.usename IS NOT NULL AND a.pid <> pg_backend_pid()
          AND (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL)
        UNION ALL
       SELECT format('prepared transaction %s of %s', p.gid, p.owner), p.prepared FROM pg_prepared_xacts p
        WHERE p.database = current_database()
     ) AS o
      WHERE o.since < clock_timestamp() - $1::float8 * interval '1 second' ORDER BY o.since LIMIT 5`,
    [oldSeconds],
  );
  const holders = await database.runUnprepared<{ owner: string }>(
    `SELECT format('process %s of %s', a.pid, a.usename) AS owner
       FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.classid = 1179010376 AND l.objid = 1 AND l.granted
        AND a.datname = current_database() AND a.xact_start < clock_timestamp() - $1::float8 * interval '1 second'`,
    [lockSeconds],
  );
  const hidden = await database.runUnprepared<{ pid: number }>(
    `SELECT a.pid FROM pg_stat_activity a
      WHERE a.datname = current_database() AND a.usename IS NOT NULL AND a.backend_type IS NULL`,
    [],
  );
  return {
    oldTransactions: open.map(({ owner }) => owner),
    lockHolders: holders.map(({ owner }) => owner),
    hidden: hidden.map(({ pid }) => pid),
  };
}

/** Combines the states that several logins see. */
export function mergeBlockers(all: readonly QueueBlockers[]): QueueBlockers {
  const merged = (of: (one: QueueBlockers) => string[]): string[] => [...new Set(all.flatMap(of))];
  const [first, ...others] = all;
  return {
    oldTransactions: merged(({ oldTransactions }) => oldTransactions),
    lockHolders: merged(({ lockHolders }) => lockHolders),
    hidden: (first?.hidden ?? []).filter((pid) => others.every(({ hidden }) => hidden.includes(pid))),
  };
}
