import type { Config } from '../read-settings';
import { listErrors } from '../contracts';
import { features } from '../features';
import { codesOf } from '../http/errors/error-catalog';
import { createMetrics } from '../metrics/metrics';
import { createHealthService } from '../core/health/health.service';
import type { Logger } from '../shared/logger';
import { version } from '../version';
import { createObservedDatabase, type DatabaseAddress } from './database';
import { createFeatures, createProcess, stopAll } from './process';

/** A separate process that does what features do to deliver events. */
export function createDeliveryProcess(config: Config, address: DatabaseAddress, logger: Logger) {
  const metrics = createMetrics(version, codesOf(listErrors()));
  const database = createObservedDatabase(config, address, metrics, logger);
  const process = createProcess(config, {
    ...{ database, metrics, logger, pollMs: undefined },
    stopWithinMs: config.SHUTDOWN_TIMEOUT_MS,
  });
  const started = createFeatures(features, process);
  return {
    health: createHealthService(database),
    metrics,
    start() {
      for (const { deliver } of started) deliver?.();
    },
    async stop() {
      await stopAll(started);
      await database.close();
    },
  };
}
