import type { Config } from '../read-settings';
import { onCluster } from '../db/cluster';
import type { PooledDatabase } from '../db/pool/database';
import { logSlowQueries } from '../db/pool/slow-queries';
import type { CurrentRequest } from '../http/request/current-request';
import type { Metrics } from '../metrics/metrics';
import type { Logger } from '../shared/logger';
import { createServiceDatabase } from '../startup/service-database';

/** The database that a process uses. */
export interface DatabaseAddress {
  databaseUrl: string;
  /** Whether it is known to be one server. Otherwise, it may be a cluster. */
  isOneServer: boolean;
}

/** Creates the connection pool of a process, counts its queries and logs the slow ones. */
export function createObservedDatabase(
  config: Config,
  { databaseUrl, isOneServer }: DatabaseAddress,
  metrics: Metrics,
  logger: Logger,
  currentRequest?: CurrentRequest,
): PooledDatabase {
  const slowMs = config.SLOW_STATEMENT_MS;
  const observer = slowMs === 'off' ? metrics.database : logSlowQueries(metrics.database, slowMs, logger);
  const database = createServiceDatabase(config, databaseUrl, logger, observer, currentRequest?.id);
  metrics.database.watchPool(database.poolState);
  // On a cluster, a server that hangs occupies a fifth of the connections.
  return isOneServer ? database : onCluster(database, config.DATABASE_POOL_SIZE / 5);
}
