import type { Config } from '../config';
import { createMetrics, type Metrics } from '../metrics/metrics';
import { createHealthService, type HealthService } from '../modules/health/health.service';
import type { WebhookKeys } from '../modules/webhooks/webhook-secrets';
import type { Logger } from '../shared/logger';
import { createObservedDatabase } from './database';
import { createDelivery } from './delivery';
import { version } from '../version';

/** A separate process that runs the relay and the courier. */
export interface DeliveryProcess {
  health: HealthService;
  metrics: Metrics;
  start: () => void;
  stop: () => Promise<void>;
}

export function createDeliveryProcess(
  config: Config,
  { databaseUrl, webhookKeys }: { databaseUrl: string; webhookKeys: WebhookKeys | undefined },
  logger: Logger,
): DeliveryProcess {
  const metrics = createMetrics(version);
  const database = createObservedDatabase(config, databaseUrl, metrics, logger);
  const delivery = createDelivery(
    config,
    { webhookKeys },
    { database, metrics, logger, sendsWithinMs: config.SHUTDOWN_TIMEOUT_MS },
  );
  return {
    health: createHealthService(database),
    metrics,
    start: delivery.start,
    async stop() {
      await delivery.stop();
      await database.close();
    },
  };
}
