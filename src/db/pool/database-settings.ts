import type { RejectionCause } from './write-guard';

export interface DatabaseSettings {
  connectionString: string;
  poolSize: number;
  /**
   * The most requests that may wait for a free connection. Further requests are rejected at once.
   */
  queueLength: number;
  /** The longest that a request waits for a free connection. */
  acquireTimeoutMs: number;
  /** The longest that opening a connection takes, from resolving the host's name to its login. */
  connectTimeoutMs: number;
  /**
   * `connection` (default) sends PostgreSQL's limits and the session settings with each connection.
   * `role` relies on the settings of the login role, for poolers that reject settings sent with a
   * connection. See `db/roles/role-settings.ts`.
   */
  timeouts?: 'connection' | 'role';
  /**
   * Whether to prepare named queries (default: true). False for poolers in transaction mode that
   * do not track prepared statements.
   */
  usesPreparedStatements?: boolean;
  /** PostgreSQL's own limits on one query. */
  statementTimeoutMs: number;
  lockTimeoutMs: number;
  idleInTransactionTimeoutMs: number;
  /**
   * The longest that the service waits for a reply before it gives up the connection. It exceeds
   * the statement timeout.
   */
  replyTimeoutMs: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  /** Whether PostgreSQL rejects writes on these connections. */
  isReadOnly?: boolean;
}

/** Events of the pool that belong to no query. */
export interface PoolEvents {
  /** Called when an idle connection has broken. */
  onConnectionError: (error: Error) => void;
  /**
   * Called with the cause when the rejection of writes begins or its cause changes, and with
   * undefined when writes are accepted again.
   */
  onWritesRejected?: (cause: RejectionCause | undefined) => void;
}
