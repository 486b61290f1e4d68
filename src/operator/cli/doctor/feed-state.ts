import type { Database } from '../../../db/pool/database';

type Reader = Pick<Database, 'runUnprepared'>;

export interface FeedState {
  /**
   * The age of the oldest event that is not in the feeds and has not failed, in seconds; 0 if there
   * is none.
   */
  lagSeconds: number;
  /** The number of events that the relay could not write to the feeds. */
  failedEvents: number;
  /** Webhook endpoints whose deliveries are stopped because they fail. */
  failingEndpoints: number;
  /** Endpoints that need a ping before they receive the events that wait for them. */
  unverifiedEndpoints: number;
  /** Other endpoints whose next event has been in the feed for a minute, the latest first. */
  lateEndpoints: string[];
  /** The versions of the master keys that the secrets of enabled endpoints need, in order. */
  webhookKeyVersions: number[];
  /** Running replays that have sent nothing for an hour, each with the reason. */
  stuckReplays: string[];
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

/** The state of the event queue, and of the processes that read the feeds. */
export async function readFeedState(database: Reader): Promise<FeedState> {
  const [queue] = await database.runUnprepared<{ lag_seconds: number; failed: number }>(
    `SELECT COALESCE(extract(epoch FROM clock_timestamp() - min(q.queued_at) FILTER (WHERE q.retry_at IS NULL)), 0)::float8
              AS lag_seconds,
            (count(*) FILTER (WHERE q.retry_at IS NOT NULL))::integer AS failed
       FROM event_queue q`,
    [],
  );
  const [endpoints] = await database.runUnprepared<{ failing: number; unverified: number }>(
    `SELECT (count(*) FILTER (WHERE w.next_probe_at IS NOT NULL))::integer AS failing,
            (count(*) FILTER (WHERE w.verified_at IS NULL AND f.last_sequence > w.position))::integer AS unverified
       FROM webhook_endpoints w LEFT JOIN feeds f ON f.environment_id = w.environment_id
      WHERE w.disabled_at IS NULL`,
    [],
  );
  const late = await database.runUnprepared<{ endpoint: string }>(
    `SELECT format('%s (%s events, %s s)', w.endpoint_id, f.last_sequence - w.position,
              round(extract(epoch FROM clock_timestamp() - next.written_at))) AS endpoint
       FROM webhook_endpoints w
       JOIN feeds f ON f.environment_id = w.environment_id AND f.last_sequence > w.position
       JOIN LATERAL (
         SELECT e.written_at FROM feed_events e
          WHERE e.environment_id = w.environment_id AND e.sequence > w.position ORDER BY e.sequence LIMIT 1
       ) next ON true
      WHERE w.disabled_at IS NULL AND w.next_probe_at IS NULL AND w.verified_at IS NOT NULL
        AND next.written_at < clock_timestamp() - interval '1 minute'
      ORDER BY next.written_at LIMIT 5`,
    [],
  );
  const keys = await database.runUnprepared<{ current: number; previous: number | null }>(
    `SELECT DISTINCT w.key_version AS current,
            CASE WHEN w.previous_secret_until > statement_timestamp() THEN w.previous_key_version END AS previous
       FROM webhook_endpoints w WHERE w.disabled_at IS NULL`,
    [],
  );
  const versions = new Set(keys.flatMap(({ current, previous }) => [current, previous ?? current]));
  const replays = await database.runUnprepared<{ replay: string }>(
    `SELECT format('%s of endpoint %s, whose %s', r.replay_id, r.endpoint_id,
              CASE WHEN w.disabled_at IS NOT NULL THEN 'endpoint is disabled'
                   WHEN w.next_probe_at IS NOT NULL THEN 'deliveries fail'
                   WHEN w.verified_at IS NULL THEN 'endpoint is unverified'
                   ELSE 'turn has not come' END) AS replay
       FROM webhook_replays r
       JOIN webhook_endpoints w ON w.environment_id = r.environment_id AND w.endpoint_id = r.endpoint_id
      WHERE r.ended_at IS NULL AND r.next_attempt_at < clock_timestamp() - interval '1 hour'
        AND (r.leased_until IS NULL OR r.leased_until < clock_timestamp())
      ORDER BY r.next_attempt_at LIMIT 5`,
    [],
  );
  return {
    lagSeconds: queue?.lag_seconds ?? 0,
    failedEvents: queue?.failed ?? 0,
    failingEndpoints: endpoints?.failing ?? 0,
    unverifiedEndpoints: endpoints?.unverified ?? 0,
    lateEndpoints: late.map(({ endpoint }) => endpoint),
    webhookKeyVersions: [...versions].sort((one, other) => one - other),
    stuckReplays: replays.map(({ replay }) => replay),
  };
}

/**
 * Finds what keeps the queue from shrinking. An open transaction keeps its deleted rows, which
 * makes the relay slower with every event. It can also lock a feed: backend_xid is set if it has
 * written, also between two statements. A login sees the transactions of its own role only, unless
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
  // Separate statements: Citus rejects a system view and a distributed table in one statement.
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
