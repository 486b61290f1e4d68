import type { Config } from '../read-settings';
import { createDatabase, type PooledDatabase } from '../db/pool/database';
import type { DatabaseObserver } from '../db/pool/observer';
import type { RejectionCause } from '../db/pool/write-guard';
import type { Logger } from '../shared/logger';

const rejections: Record<RejectionCause, string> = {
  unavailable: 'no connection to the database opens',
  unconfirmed: 'commits get no reply from the database',
  no_room: 'the database has no room',
  read_only: 'the database is read-only',
};

/**
 * The connection pool of the service, with the configured limits.
 *
 * @param currentRequestId returns the id of the request that a query belongs to, for the log
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
      connectTimeoutMs: config.DATABASE_CONNECT_TIMEOUT_MS,
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
      onWritesRejected: (cause) => {
        if (cause === undefined) logger.info('writes are accepted again: the database confirms commits');
        else logger.warn({ reason: cause }, `writes are rejected: ${rejections[cause]}`);
      },
    },
    observer,
    currentRequestId,
  );
}
