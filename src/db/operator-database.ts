import { createDatabase, type Database } from './pool/database';

/** A small pool for commands and seeds, with longer timeouts than requests have. */
export function createOperatorDatabase(connectionString: string): Database {
  return createDatabase(
    {
      connectionString,
      poolSize: 2,
      queueLength: 1_000,
      acquireTimeoutMs: 5_000,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 10_000,
      lockTimeoutMs: 1_000,
      idleInTransactionTimeoutMs: 5_000,
      replyTimeoutMs: 20_000,
    },
    // The pool replaces a broken idle connection when it next needs one.
    { onConnectionError: () => undefined },
  );
}

/**
 * Read-only connections, with enough time to read whole tables.
 *
 * @param poolSize the maximum number of connections
 */
export function createReadOnlyDatabase(connectionString: string, poolSize = 1): Database {
  return createDatabase(
    {
      connectionString,
      applicationName: 'contribution-service verify',
      isReadOnly: true,
      poolSize,
      queueLength: 1_000,
      acquireTimeoutMs: 5_000,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 3_600_000,
      lockTimeoutMs: 5_000,
      idleInTransactionTimeoutMs: 5_000,
      replyTimeoutMs: 3_660_000,
    },
    { onConnectionError: () => undefined },
  );
}
