import { Client, Pool, type PoolClient, type PoolConfig } from 'pg';

import { DatabaseFailure, notReplicated, translateConnectError } from '../errors';
import { limitsOf, sessionConfig } from '../session-settings';
import { type Acquire, createAcquire, NoFreeConnection } from './acquire';
import type { DatabaseSettings, PoolEvents } from './database-settings';
import { createLateReplies, type LateReplies } from './late-replies';
import type { DatabaseObserver, PoolState } from './observer';
import { tryCommit } from './trial-commit';

/** The pool of connections, without queries. */
export interface Connections {
  /**
   * The number of further queries that can start or wait. If it is 0 or less, the next query
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
  state: () => Omit<PoolState, 'storageFailures'>;
  close: () => Promise<void>;
}

/** The share of the queue that only essential queries may use: creates and completions. */
const reservedShare = 0.25;

function poolConfig(settings: DatabaseSettings): PoolConfig {
  const config = {
    connectionString: settings.connectionString,
    application_name: settings.applicationName ?? 'contribution-service',
    connectionTimeoutMillis: settings.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  if (settings.timeouts === 'role') return config;
  const limits = limitsOf({
    statementMs: settings.statementTimeoutMs,
    lockMs: settings.lockTimeoutMs,
    idleInTransactionMs: settings.idleInTransactionTimeoutMs,
  });
  return sessionConfig(config, {
    ...limits,
    ...(settings.isReadOnly ? { default_transaction_read_only: 'on' } : {}),
  });
}

/**
 * Keeps at most half of the pool for late replies, so that reads have the other half. Undefined for
 * a pool of one connection.
 */
function lateRepliesOf(
  settings: DatabaseSettings,
  config: PoolConfig,
  onWritesRejected: NonNullable<PoolEvents['onWritesRejected']>,
): LateReplies | undefined {
  const limit = Math.floor(settings.poolSize / 2);
  if (limit === 0) return undefined;
  return createLateReplies({
    limit,
    tryCommit: (onOpened, timeoutMs, signal) => tryCommit(config, onOpened, timeoutMs, signal),
    onWritesRejected,
  });
}

/**
 * A pool whose clients have the timeout of the configuration, which is for opening. The pool itself
 * would also apply it to the wait for a free connection.
 */
const createPool = (config: PoolConfig, max: number): Pool =>
  new Pool({
    ...config,
    connectionTimeoutMillis: 0,
    max,
    Client: class extends Client {
      constructor() {
        super(config);
      }
    },
  });

/** Acquires connections, and counts the waits and the rejections. */
function acquiring(
  lender: Acquire,
  lateReplies: LateReplies | undefined,
  observer: DatabaseObserver,
): Connections['acquire'] {
  async function acquireAny(): Promise<PoolClient> {
    const askedAt = performance.now();
    try {
      const client = await lender.acquire();
      observer.onAcquired((performance.now() - askedAt) / 1000);
      return client;
    } catch (error) {
      if (error instanceof NoFreeConnection) {
        observer.onRefusal('acquire_timeout');
        throw new DatabaseFailure('pool_exhausted', 'nothing', error);
      }
      observer.onRefusal('unreachable');
      throw translateConnectError(error);
    }
  }

  /** Waits for a trial commit, if one is needed, without holding a connection. */
  async function acquireForWrite(): Promise<PoolClient> {
    for (;;) {
      if (lateReplies?.areWritesInDoubt()) await lateReplies.decided();
      const rejection = lateReplies?.rejection();
      if (rejection !== undefined) {
        observer.onRefusal('writes_rejected');
        throw new DatabaseFailure(rejection, 'nothing', new Error(`not sent: ${rejection}`));
      }
      const client = await acquireAny();
      if (!lateReplies?.areWritesInDoubt()) return client;
      client.release();
    }
  }

  return (writes) => (writes ? acquireForWrite() : acquireAny());
}

export function createConnections(
  settings: DatabaseSettings,
  { onConnectionError, onWritesRejected = () => undefined }: PoolEvents,
  observer: DatabaseObserver,
): Connections {
  const config = poolConfig(settings);
  const pool = createPool(config, settings.poolSize);
  const lender = createAcquire(pool, {
    connections: settings.poolSize,
    waitMs: settings.acquireTimeoutMs,
    openMs: settings.connectTimeoutMs,
  });
  const lateReplies = lateRepliesOf(settings, config, onWritesRejected);
  const warned = new WeakSet<PoolClient>();
  pool.on('error', onConnectionError);
  pool.on('connect', (client) => {
    // The pool listens for errors only on idle clients. A connection that breaks during a query
    // rejects the query and also emits an error. Without a listener, that error would end the
    // process.
    client.on('error', () => undefined);
    client.on('notice', (notice) => {
      if (notice.code === notReplicated) warned.add(client);
    });
  });

  return {
    freeSlots(isEssential) {
      const free = settings.poolSize - (pool.totalCount - pool.idleCount);
      const queueSlots = settings.queueLength * (isEssential ? 1 : 1 - reservedShare);
      return free + queueSlots - lender.waitingCount() - (lateReplies?.waitingCount() ?? 0);
    },
    acquire: acquiring(lender, lateReplies, observer),
    abandon(client, writes, reply) {
      // PostgreSQL ends an abandoned read by itself.
      if (!writes || !lateReplies?.hold(client, reply)) client.release(true);
    },
    clearWarning: (client) => {
      warned.delete(client);
    },
    isNotReplicated: (client) => warned.has(client),
    state: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      lateReplies: lateReplies?.count() ?? 0,
      writesRejected: lateReplies?.rejection(),
      waiting: lender.waitingCount(),
      limit: settings.poolSize,
      waitingLimit: settings.queueLength,
    }),
    async close() {
      lateReplies?.stop();
      await pool.end();
    },
  };
}
