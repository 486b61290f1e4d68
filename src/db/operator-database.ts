import { createDatabase, type Database } from './pool/database';

/**
 * A way into the database for commands and seeds: few connections, and more patience than a request
 * has.
 */
export function createOperatorDatabase(connectionString: string): Database {
  return createDatabase(
    {
      connectionString,
      poolSize: 2,
      queueLength: 1_000,
      acquireTimeoutMs: 5_000,
      statementTimeoutMs: 10_000,
      lockTimeoutMs: 1_000,
      idleInTransactionTimeoutMs: 5_000,
      replyTimeoutMs: 20_000,
    },
    // A connection that breaks while nobody uses it is replaced when somebody does.
    { onConnectionError: () => undefined },
  );
}

/** A way in for looking only: one connection that cannot write, with time to read whole tables. */
export function createReadOnlyDatabase(connectionString: string): Database {
  return createDatabase(
    {
      connectionString,
      applicationName: 'contribution-service verify',
      isReadOnly: true,
      poolSize: 1,
      queueLength: 1_000,
      acquireTimeoutMs: 5_000,
      statementTimeoutMs: 3_600_000,
      lockTimeoutMs: 5_000,
      idleInTransactionTimeoutMs: 5_000,
      replyTimeoutMs: 3_660_000,
    },
    { onConnectionError: () => undefined },
  );
}
