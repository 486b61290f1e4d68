import { Client, type ClientConfig } from 'pg';

import { withReplyTimeout } from './reply-timeout';

/**
 * A commit that changes no table but must be replicated like any other. No subscriber receives the
 * message.
 */
const trial = `SELECT pg_logical_emit_message(true, 'contribution-service', 'trial commit')`;

/**
 * An abandoned trial commit would keep its server process waiting for the standby. Cancelling it
 * makes no data visible. Other commits are never cancelled, because readers would then see data
 * that a failover can lose.
 */
const cancelAbandonedTrials = `
  SELECT pg_cancel_backend(pid) FROM pg_stat_activity
   WHERE usename = current_user AND datname = current_database() AND state = 'active' AND query = $1
     AND query_start < clock_timestamp() - make_interval(secs => $2)`;

/**
 * Commits a transaction that changes no table on a fresh connection outside the pool.
 *
 * @param config has the time limit for opening the connection
 * @param onOpened called when the connection is open
 * @param timeoutMs the time limit after that
 * @returns how long the commit took, in milliseconds
 * @throws when no connection opens, and when the commit fails, takes longer than `timeoutMs`, or is
 *   aborted
 */
export async function tryCommit(
  config: ClientConfig,
  onOpened: () => void,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number> {
  const client = new Client(config);
  client.on('error', () => undefined);
  // During a query, this closes the socket and rejects the query.
  const close = (): void => void client.end().catch(() => undefined);
  signal.addEventListener('abort', close, { once: true });
  const commit = async (): Promise<number> => {
    await client.query(cancelAbandonedTrials, [trial, timeoutMs / 1000]);
    const startedAt = performance.now();
    await client.query(trial);
    return performance.now() - startedAt;
  };
  try {
    signal.throwIfAborted();
    await client.connect();
    onOpened();
    return await withReplyTimeout(commit(), timeoutMs);
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}
