// Import this first, because tracing reads the environment when it is loaded.
import './startup/load-environment';
import './tracing/tracing';

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Config } from './read-settings';
import { createContainer } from './container';
import { createHttpServer, type HttpServer } from './http/server/http-server';
import type { Logger } from './shared/logger';
import { checkDatabase } from './startup/check-database';
import { peppersOf } from './startup/peppers';
import { plainHttpNotice } from './startup/plain-http';
import { print, runProgram, type Stops } from './programs/run-program';
import { serveMetrics } from './programs/serve-metrics';
import { closeTimeoutMs, closeWithin, reportStopTimeout } from './startup/stop-timeout';
import { StartupError } from './startup/startup-error';
import { version } from './version';

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
 * clients connect at once. With a longer queue, new connections wait behind connections
 * that clients have already closed.
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
 * The configured database, or an embedded one. Loads Knex only for the embedded database.
 */
async function findDatabase(config: Config, publicBaseUrl: string, logger: Logger, stops: Stops) {
  const { DATABASE_URL: databaseUrl } = config;
  if (databaseUrl !== undefined) {
    const isOneServer = await checkDatabase(config, databaseUrl, logger);
    return { databaseUrl, isOneServer, announce: undefined, demo: undefined };
  }
  const { startLocalDatabase } = await import('./startup/local-database.js');
  const local = await startLocalDatabase(config, publicBaseUrl, print);
  stops.push(local.stop);
  return { ...local, isOneServer: true };
}

async function start(config: Config, logger: Logger, stops: Stops): Promise<void> {
  const publicBaseUrl = publicBaseUrlOf(config);
  const { announce, demo, ...address } = await findDatabase(config, publicBaseUrl, logger, stops);
  const container = createContainer(
    config,
    {
      ...address,
      notificationsUrl: config.DATABASE_NOTIFICATIONS_URL ?? address.databaseUrl,
      peppers: peppersOf(config),
      publicBaseUrl,
      servesDemoPictures: config.NODE_ENV !== 'production',
      demo,
    },
    logger,
  );
  // Register this before the logger's own exit listener, which writes the last lines.
  process.prependListener('exit', container.flushLogs);
  stops.push(() => closeWithin(closeTimeoutMs, container.stop(), logger));
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
  const { port } = server.address() as AddressInfo;
  logger.info({ version, host: config.HOST, port }, 'listening');
  if (announce !== undefined) print(announce());
}

runProgram(start);
