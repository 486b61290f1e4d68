import type { Config } from '../config';
import { createDatabase, type PooledDatabase } from '../db/pool/database';
import type { DatabaseObserver } from '../db/pool/observer';
import type { Logger } from '../shared/logger';

/**
 * The connection pool of the service, with the configured limits.
 *
 * @param currentRequestId returns the id of the request that a statement belongs to, for the log
 */
export function createServiceDatabase(
  config: Config,
  connectionString: string,
  logger: Logger,
  observer?: DatabaseObserver,
  currentRequestId?: () => string | undefined,
): PooledDatabase {
  return createDatabase(
    {
      connectionString,
      poolSize: config.DATABASE_POOL_SIZE,
      queueLength: config.DATABASE_QUEUE_LENGTH,
      acquireTimeoutMs: config.DATABASE_ACQUIRE_TIMEOUT_MS,
      timeouts: config.DATABASE_TIMEOUTS,
      usesPreparedStatements: config.DATABASE_PREPARED_STATEMENTS,
      statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: config.DATABASE_LOCK_TIMEOUT_MS,
      idleInTransactionTimeoutMs: config.DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS,
      replyTimeoutMs: config.DATABASE_ANSWER_TIMEOUT_MS,
    },
    {
      onConnectionError: () => {
        logger.warn('an idle database connection was lost');
      },
      onWritesRejected: (isRejected) => {
        if (isRejected) logger.warn('writes are rejected: commits get no reply from the database');
        else logger.info('writes are accepted again: the database confirms commits');
      },
    },
    observer,
    currentRequestId,
  );
}
