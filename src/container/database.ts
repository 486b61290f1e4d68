import type { Config } from '../config';
import { runReachable } from '../db/citus/reads-of-all';
import type { PooledDatabase } from '../db/pool/database';
import { logSlowStatements } from '../db/pool/slow-statements';
import type { CurrentRequest } from '../http/request/current-request';
import type { Metrics } from '../metrics/metrics';
import type { Logger } from '../shared/logger';
import { createServiceDatabase } from '../startup/service-database';

/**
 * Creates the connection pool of a process, counts its statements and logs the slow ones. While a
 * worker of a cluster is lost, background work continues with the data on the other workers.
 */
export function createObservedDatabase(
  config: Config,
  databaseUrl: string,
  metrics: Metrics,
  logger: Logger,
  currentRequest?: CurrentRequest,
): PooledDatabase {
  const slowMs = config.SLOW_STATEMENT_MS;
  const observer = slowMs === 'off' ? metrics.database : logSlowStatements(metrics.database, slowMs, logger);
  const database = createServiceDatabase(config, databaseUrl, logger, observer, currentRequest?.id);
  metrics.database.watchPool(database.poolState);
  return { ...database, run: runReachable(database) };
}
