export interface DatabaseSettings {
  connectionString: string;
  poolSize: number;
  /**
   * The most requests that may wait for a free connection. Further requests are rejected at once.
   */
  queueLength: number;
  /** The longest that a request waits for a free connection. */
  acquireTimeoutMs: number;
  /**
   * `connection` (default) sends PostgreSQL's limits with each connection. `role` relies on the
   * settings of the login role, for poolers that reject limits sent with a connection. See
   * `db/roles/role-timeouts.ts`.
   */
  timeouts?: 'connection' | 'role';
  /**
   * Whether to prepare named statements (default: true). False for poolers in transaction mode that
   * do not track prepared statements.
   */
  usesPreparedStatements?: boolean;
  /** PostgreSQL's own limits on one statement. */
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

/** Events of the pool that belong to no statement. */
export interface PoolEvents {
  /** Called when an idle connection has broken. */
  onConnectionError: (error: Error) => void;
  /**
   * Called with true when writes are rejected because commits get no reply. Called with false when
   * they are accepted again.
   */
  onWritesRejected?: (isRejected: boolean) => void;
}
