import { Pool, type PoolClient, type PoolConfig } from 'pg';

import { DatabaseFailure, notReplicated, translateConnectError } from '../errors';
import type { DatabaseSettings, PoolEvents } from './database-settings';
import { createLateReplies, type LateReplies } from './late-replies';
import type { DatabaseObserver, PoolState } from './observer';
import { tryCommit } from './trial-commit';

/** The pool of connections, without statements. */
export interface Connections {
  /**
   * The number of further statements that can start or wait. If it is 0 or less, the next statement
   * is rejected.
   */
  freeSlots: (isEssential: boolean) => number;
  /**
   * Waits for a connection. A write also waits until it is certain that commits get replies.
   *
   * @throws DatabaseFailure with the outcome `nothing`
   */
  acquire: (writes: boolean) => Promise<PoolClient>;
  /** Keeps the connection of a write until its late reply arrives, or closes the connection. */
  abandon: (client: PoolClient, writes: boolean, reply: Promise<unknown>) => void;
  /** Forgets earlier warnings on this connection. */
  clearWarning: (client: PoolClient) => void;
  /** Whether PostgreSQL warned after `clearWarning` that it committed without replication. */
  isNotReplicated: (client: PoolClient) => boolean;
  state: () => PoolState;
  close: () => Promise<void>;
}

/** The share of the queue that only essential statements may use: creates and completions. */
const reservedShare = 0.25;

function poolConfig(settings: DatabaseSettings): PoolConfig {
  return {
    connectionString: settings.connectionString,
    application_name: settings.applicationName ?? 'contribution-service',
    ...(settings.isReadOnly ? { options: '-c default_transaction_read_only=on' } : {}),
    connectionTimeoutMillis: settings.acquireTimeoutMs,
    ...(settings.timeouts === 'role'
      ? {}
      : {
          statement_timeout: settings.statementTimeoutMs,
          lock_timeout: settings.lockTimeoutMs,
          idle_in_transaction_session_timeout: settings.idleInTransactionTimeoutMs,
        }),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/**
 * Keeps at most half of the pool for late replies, so that reads have the other half. Undefined for
 * a pool of one connection.
 */
function lateRepliesOf(
  settings: DatabaseSettings,
  config: PoolConfig,
  onWritesRejected: (isRejected: boolean) => void,
): LateReplies | undefined {
  const limit = Math.floor(settings.poolSize / 2);
  if (limit === 0) return undefined;
  return createLateReplies({
    limit,
    promptMs: settings.acquireTimeoutMs,
    tryCommit: (timeoutMs, signal) => tryCommit(config, timeoutMs, signal),
    onWritesRejected,
  });
}

export function createConnections(
  settings: DatabaseSettings,
  { onConnectionError, onWritesRejected = () => undefined }: PoolEvents,
  observer: DatabaseObserver,
): Connections {
  const config = poolConfig(settings);
  const pool = new Pool({ ...config, max: settings.poolSize });
  const lateReplies = lateRepliesOf(settings, config, onWritesRejected);
  const warned = new WeakSet<PoolClient>();
  pool.on('error', onConnectionError);
  pool.on('connect', (client) => {
    // The pool listens for errors only on idle clients. A connection that breaks during a statement
    // rejects the statement and also emits an error. Without a listener, that error would end the
    // process.
    client.on('error', () => undefined);
    client.on('notice', (notice) => {
      if (notice.code === notReplicated) warned.add(client);
    });
  });

  async function acquireAny(): Promise<PoolClient> {
    const askedAt = performance.now();
    try {
      const client = await pool.connect();
      observer.onAcquired((performance.now() - askedAt) / 1000);
      return client;
    } catch (error) {
      const failure = translateConnectError(error);
      observer.onRefusal(failure.reason === 'pool_exhausted' ? 'acquire_timeout' : 'unreachable');
      throw failure;
    }
  }

  /** Waits for a trial commit, if one is needed, without holding a connection. */
  async function acquireForWrite(): Promise<PoolClient> {
    for (;;) {
      const client = await acquireAny();
      if (!lateReplies?.areWritesInDoubt()) return client;
      client.release();
      if (await lateReplies.mayWrite()) continue;
      observer.onRefusal('writes_rejected');
      throw new DatabaseFailure('unavailable', 'nothing', new Error('earlier writes have no reply yet'));
    }
  }

  return {
    freeSlots(isEssential) {
      const free = settings.poolSize - (pool.totalCount - pool.idleCount);
      const queueSlots = settings.queueLength * (isEssential ? 1 : 1 - reservedShare);
      return free + queueSlots - pool.waitingCount - (lateReplies?.waitingCount() ?? 0);
    },
    acquire: (writes) => (writes ? acquireForWrite() : acquireAny()),
    abandon(client, writes, reply) {
      // PostgreSQL ends an abandoned read by itself.
      if (!writes || !lateReplies?.keep(client, reply)) client.release(true);
    },
    clearWarning: (client) => {
      warned.delete(client);
    },
    isNotReplicated: (client) => warned.has(client),
    state: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      lateReplies: lateReplies?.count() ?? 0,
      rejectsWrites: lateReplies?.areWritesRejected() ?? false,
      waiting: pool.waitingCount,
      limit: settings.poolSize,
      waitingLimit: settings.queueLength,
    }),
    async close() {
      lateReplies?.stop();
      await pool.end();
    },
  };
}
