import type { Config } from '../read-settings';
import type { Metrics } from '../metrics/metrics';
import { startMetricsServer } from '../metrics/metrics-server';
import { watchProcess } from '../metrics/process-metrics';
import type { Logger } from '../shared/logger';
import type { Stops } from './run-program';
import { StartupError } from '../startup/startup-error';

/**
 * Serves the metrics. If the port is taken, startup fails in production, because the service must
 * be monitored. In other environments, it only warns, so that a developer can run two services.
 */
export async function serveMetrics(
  config: Config,
  { registry }: Metrics,
  logger: Logger,
  stops: Stops,
): Promise<void> {
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  if (port === 'off') return;
  try {
    const server = await startMetricsServer(registry, { host, port });
    stops.push(server.stop);
    watchProcess(registry);
    logger.info({ host, port: server.port }, 'serving metrics');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const problem = `Cannot serve metrics on ${host}:${port} (${code}). Set another METRICS_PORT or METRICS_HOST.`;
    if (config.NODE_ENV === 'production') throw new StartupError(problem);
    logger.warn(problem);
  }
}
