// Before everything else: see there.
import './startup/load-environment';
import { reportTracing, stopTracing } from './tracing/tracing';

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

import { type Config, ConfigurationError, loadConfig } from './config';
import { createContainer } from './container';
import { createHttpServer, type HttpServer } from './http/server/http-server';
import { loggable } from './http/errors/loggable-error';
import type { Metrics } from './metrics/metrics';
import { startMetricsServer } from './metrics/metrics-server';
import { watchProcess } from './metrics/process-metrics';
import { createLogger, type Logger } from './shared/logger';
import { checkDatabase } from './startup/check-database';
import { peppersOf } from './startup/local-peppers';
import { plainHttpNotice } from './startup/plain-http';
import { StartupError } from './startup/startup-error';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

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
 * Connections that may wait to be accepted. Node's default of 511 is too few when a thousand
 * clients connect at once. With more, a new connection waits longer behind connections that their
 * clients have already closed.
 */
const mostUnaccepted = 1_024;

async function listen(server: Server, config: Config): Promise<void> {
  try {
    server.listen(config.PORT, config.HOST, mostUnaccepted);
    await once(server, 'listening');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new StartupError(
      `Cannot listen on ${config.HOST}:${config.PORT} (${code}). Set another PORT or HOST.`,
    );
  }
}

/**
 * Serves the metrics. In production a service that nobody can watch is none; on a developer's
 * machine a second one that finds the port taken is welcome.
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

/** How long the database connections may take to end after the last request. */
const letGoWithinMs = 2_000;

/** Says how a stop ended that did not come to its end in time; the process then ends with 1. */
function reportCutOff(logger: Logger, what: object): void {
  logger.warn(what, 'the time to stop was over');
  process.exitCode = 1;
}

/**
 * The configured database, or one of this machine's own, which needs Knex and the embedded server.
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
  const local = await startLocalDatabase(config, publicBaseUrl, say);
  stops.push(local.stop);
  return local;
}

/**
 * Starts everything in order, noting how to stop each part as soon as it runs: a start that fails
 * or is interrupted half way leaves nothing behind.
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
      publicBaseUrl,
      servesDemoPictures: config.NODE_ENV !== 'production',
      demo,
    },
    logger,
  );
  // Before the log writes what it still has.
  process.prependListener('exit', container.logEnded);
  stops.push(async () => {
    const over = setTimeout(letGoWithinMs, 'over' as const, { ref: false });
    if ((await Promise.race([container.stop(), over])) === 'over')
      reportCutOff(logger, { database: 'a statement is still under way' });
  });
  // Stopped after the API, so that the last requests can be seen.
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
    if (requests > 0) reportCutOff(logger, { requests });
  });
  logger.info({ host: config.HOST, port: (server.address() as AddressInfo).port }, 'listening');
  if (greeting !== undefined) say(greeting);
}

// Under load most of what grows old is garbage a moment later, and V8 by itself lets it grow to
// several times of what is in use before it collects it. At less than twice, the process stays
// below 200 MB and answers as many (`npm run bench:overload`).
setFlagsFromString('--heap-growing-percent=80');
// V8 would learn from a moment of much load that rows live long, and from then on make all of them
// among the old objects.
setFlagsFromString('--no-allocation-site-pretenuring');

function main(): void {
  const config = loadConfig(process.env);
  const logger = createLogger(config.LOG_LEVEL);
  reportTracing(logger);
  // The last to stop, when the last span has ended.
  const stops: (() => Promise<void>)[] = [stopTracing];

  const stopAll = async (): Promise<void> => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  };
  const fail = (error: unknown): never => {
    if (error instanceof StartupError) say(error.message);
    else logger.fatal({ error: loggable(error) }, 'failed');
    process.exit(1);
  };
  // What nobody foresaw ends the process. By itself Node would print all that PostgreSQL says of a
  // row.
  process.on('uncaughtException', fail);

  const started = start(config, logger, stops).catch(async (error: unknown) => {
    await stopAll();
    fail(error);
  });

  let isStopping = false;
  const stop = (reason: string): void => {
    // Ctrl-C through npm arrives twice, so a second signal is no demand to hurry.
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
 * npm hands a SIGTERM to the shell in which it started this, and the shell ends without passing it
 * on.
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
  say(error.message);
  process.exit(1);
}
