import { Client, type ClientConfig } from 'pg';

import { withTimeout } from './response-timeout';

/**
 * A commit that changes no table but has to be replicated like any other. PostgreSQL gives nobody
 * the message.
 */
const trial = `SELECT pg_logical_emit_message(true, 'contribution-service', 'trial commit')`;

/**
 * A trial that nobody waits for any more would keep its server process waiting for the standby.
 * Cancelling it makes nothing visible. Other commits are never cancelled: readers would see what a
 * failover can take away.
 */
const cancelAbandonedTrials = `
  SELECT pg_cancel_backend(pid) FROM pg_stat_activity
   WHERE usename = current_user AND datname = current_database() AND state = 'active' AND query = $1
     AND query_start < clock_timestamp() - make_interval(secs => $2)`;

/**
 * Connects once, outside of any pool, and commits something harmless.
 *
 * @throws when that fails or takes longer than `timeoutMs`, or when it is aborted
 */
export async function tryCommit(config: ClientConfig, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const client = new Client(config);
  client.on('error', () => undefined);
  // With a statement under way this closes the socket and rejects the statement.
  const close = (): void => void client.end().catch(() => undefined);
  signal.addEventListener('abort', close, { once: true });
  const work = async (): Promise<void> => {
    signal.throwIfAborted();
    await client.connect();
    await client.query(cancelAbandonedTrials, [trial, timeoutMs / 1000]);
    await client.query(trial);
  };
  try {
    await withTimeout(work(), timeoutMs);
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}
