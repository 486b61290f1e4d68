import type { Config } from '../config';
import { runReachable } from '../db/citus/reads-of-all';
import type { PooledDatabase } from '../db/pool/database';
import { logSlowStatements } from '../db/pool/slow-statements';
import type { CurrentRequest } from '../http/request/current-request';
import type { Metrics } from '../metrics/metrics';
import type { Logger } from '../shared/logger';
import { createServiceDatabase } from '../startup/service-database';

/**
 * The connection pool of a process, with its statements counted and the slow ones logged. While a
 * worker of a cluster is lost, background work finds what is due on the others.
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
