// Import this first, because tracing reads the environment when it is loaded.
import './startup/load-environment';
import './tracing/tracing';

import type { Config } from './read-settings';
import { createDeliveryProcess } from './container/delivery-process';
import type { Logger } from './shared/logger';
import { checkDatabase } from './startup/check-database';
import { startHealthServer } from './programs/health-server';
import { runProgram, type Stops } from './programs/run-program';
import { serveMetrics } from './programs/serve-metrics';
import { version } from './version';
import { StartupError } from './startup/startup-error';
import { closeTimeoutMs, closeWithin } from './startup/stop-timeout';

/** Writes events to the feeds and delivers them, as a process without the API. */
async function start(config: Config, logger: Logger, stops: Stops): Promise<void> {
  const { DATABASE_URL: databaseUrl, SHUTDOWN_TIMEOUT_MS: timeoutMs } = config;
  if (databaseUrl === undefined)
    throw new StartupError(
      'Set DATABASE_URL. The service itself delivers the events of an embedded database.',
    );
  const isOneServer = await checkDatabase(config, databaseUrl, logger);
  const delivery = createDeliveryProcess(config, { databaseUrl, isOneServer }, logger);
  const health = await startHealthServer(delivery.health, config);
  stops.push(health.stop);
  await serveMetrics(config, delivery.metrics, logger, stops);
  delivery.start();
  stops.push(() => {
    delivery.health.beginShutdown();
    return closeWithin(timeoutMs + closeTimeoutMs, delivery.stop(), logger);
  });
  logger.info({ version, host: config.HOST, port: config.PORT }, 'delivering');
}

runProgram(start);
