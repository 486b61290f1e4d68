// First, because tracing reads the environment when it is loaded.
import './startup/load-environment';
import { reportTracing, stopTracing } from './tracing/tracing';

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

import { type Config, ConfigurationError, loadConfig } from './config';
import { createContainer } from './container';
import { createHttpServer, type HttpServer } from './http/server/http-server';
import { loggable } from './http/errors/loggable-error';
import { tuneHeap } from './internals/v8-heap';
import type { Metrics } from './metrics/metrics';
import { startMetricsServer } from './metrics/metrics-server';
import { watchProcess } from './metrics/process-metrics';
import { createLogger, type Logger } from './shared/logger';
import { checkDatabase } from './startup/check-database';
import { peppersOf } from './startup/peppers';
import { plainHttpNotice } from './startup/plain-http';
import { webhookKeysOf } from './startup/webhook-keys';
import { StartupError } from './startup/startup-error';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function publicBaseUrlOf(config: Config): string {
  const scheme = config.TLS_CERTIFICATE_FILE === undefined ? 'http' : 'https';
  return config.PUBLIC_BASE_URL ?? `${scheme}://localhost:${config.PORT}`;
}

function createServer(...parameters: Parameters<typeof createHttpServer>): HttpServer {
  try {
    return createHttpServer(...parameters);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no reason given';
    throw new StartupError(`TLS_CERTIFICATE_FILE and TLS_PRIVATE_KEY_FILE cannot be used: ${reason}`);
  }
}

/**
 * The most connections that wait to be accepted. Node's default of 511 is too few when a thousand
 * clients connect at once. With a longer queue, new connections wait behind ones that their clients
 * have already closed.
 */
const listenBacklog = 1_024;

async function listen(server: Server, config: Config): Promise<void> {
  try {
    server.listen(config.PORT, config.HOST, listenBacklog);
    await once(server, 'listening');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new StartupError(
      `Cannot listen on ${config.HOST}:${config.PORT} (${code}). Set another PORT or HOST.`,
    );
  }
}

/**
 * Serves the metrics. If the port is taken, startup fails in production, because the service must
 * be monitored. Elsewhere it only warns, so that a developer can run two services.
 */
async function serveMetrics(
  config: Config,
  { registry }: Metrics,
  logger: Logger,
  stops: (() => Promise<void>)[],
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

/** The longest wait for database connections to close after the last request. */
const closeTimeoutMs = 2_000;

/** Logs what was still running when the shutdown timed out. The process then exits with 1. */
function reportStopTimeout(logger: Logger, stillRunning: object): void {
  logger.warn(stillRunning, 'shutdown timed out');
  process.exitCode = 1;
}

/**
 * The configured database, or an embedded one. Only the latter loads Knex and the embedded server.
 */
async function findDatabase(
  config: Config,
  publicBaseUrl: string,
  logger: Logger,
  stops: (() => Promise<void>)[],
) {
  const { DATABASE_URL: databaseUrl } = config;
  if (databaseUrl !== undefined) {
    await checkDatabase(config, databaseUrl, logger);
    return { databaseUrl, greeting: undefined, demo: undefined };
  }
  const { startLocalDatabase } = await import('./startup/local-database.js');
  const local = await startLocalDatabase(config, publicBaseUrl, print);
  stops.push(local.stop);
  return local;
}

/**
 * Starts everything in order. It adds each part to `stops` as soon as the part runs, so a start
 * that fails or is interrupted leaves nothing running.
 */
async function start(config: Config, logger: Logger, stops: (() => Promise<void>)[]): Promise<void> {
  const publicBaseUrl = publicBaseUrlOf(config);
  const { databaseUrl, greeting, demo } = await findDatabase(config, publicBaseUrl, logger, stops);
  const container = createContainer(
    config,
    {
      databaseUrl,
      notificationsUrl: config.DATABASE_NOTIFICATIONS_URL ?? databaseUrl,
      peppers: peppersOf(config),
      webhookKeys: webhookKeysOf(config),
      publicBaseUrl,
      servesDemoPictures: config.NODE_ENV !== 'production',
      demo,
    },
    logger,
  );
  // Before the logger's own exit listener, which writes the last lines.
  process.prependListener('exit', container.flushLogs);
  stops.push(async () => {
    const timeout = setTimeout(closeTimeoutMs, 'timeout' as const, { ref: false });
    if ((await Promise.race([container.stop(), timeout])) === 'timeout')
      reportStopTimeout(logger, { database: 'a statement is still under way' });
  });
  // Stops after the API, so that the last requests can still be scraped.
  await serveMetrics(config, container.metrics, logger, stops);

  const { TLS_CERTIFICATE_FILE: certificateFile, TLS_PRIVATE_KEY_FILE: privateKeyFile } = config;
  const plainHttp = plainHttpNotice(config);
  if (plainHttp) logger.warn(plainHttp.notice);
  const { server, drain } = createServer(container.app, {
    publicBaseUrl,
    headersTimeoutMs: config.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    tls: certificateFile && privateKeyFile ? { certificateFile, privateKeyFile } : undefined,
    ...container.serverHooks,
  });
  await container.warm();
  await listen(server, config);
  stops.push(async () => {
    container.health.beginShutdown();
    const { SHUTDOWN_DELAY_MS: delayMs, SHUTDOWN_TIMEOUT_MS: timeoutMs } = config;
    const requests = await drain({ delayMs, timeoutMs });
    if (requests > 0) reportStopTimeout(logger, { requests });
  });
  logger.info({ host: config.HOST, port: (server.address() as AddressInfo).port }, 'listening');
  if (greeting !== undefined) print(greeting);
}

tuneHeap();

function main(): void {
  const config = loadConfig(process.env);
  const logger = createLogger(config.LOG_LEVEL);
  reportTracing(logger);
  // Tracing stops last, after the last span.
  const stops: (() => Promise<void>)[] = [stopTracing];

  const stopAll = async (): Promise<void> => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  };
  const fail = (error: unknown): never => {
    if (error instanceof StartupError) print(error.message);
    else logger.fatal({ error: loggable(error) }, 'failed');
    process.exit(1);
  };
  // Node's default handler would print PostgreSQL's error details, which contain rows.
  process.on('uncaughtException', fail);

  const started = start(config, logger, stops).catch(async (error: unknown) => {
    await stopAll();
    fail(error);
  });

  let isStopping = false;
  const stop = (reason: string): void => {
    // With npm, Ctrl-C arrives twice, so a second signal does not mean "stop immediately".
    if (isStopping) return;
    isStopping = true;
    logger.info({ reason }, 'stopping');
    started.then(stopAll).then(() => process.exit(), fail);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stop(signal);
    });
  }
  if (process.env['npm_lifecycle_event'] !== undefined) {
    onParentExit(() => {
      stop('npm has ended');
    });
  }
}

/**
 * npm sends SIGTERM to the shell that started this process. The shell exits without forwarding it.
 */
function onParentExit(then: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    then();
  }, 100);
  timer.unref();
}

try {
  main();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  print(error.message);
  process.exit(1);
}
