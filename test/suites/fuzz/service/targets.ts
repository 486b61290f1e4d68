import { randomBytes } from 'node:crypto';
import { once } from 'node:events';

import pino from 'pino';

import { readSettings } from '../../../../src/read-settings';
import { listSettings } from '../../../../src/contracts';
import type { Peppers } from '../../../../src/core/key-pairs/credentials';
import type { TestDatabase } from '../../../support/database';
import { assembleService } from '../../../support/assemble-service';
import { citusNodeUrls, citusSettings } from '../../../support/citus/databases';
import { setTimeouts } from '../../../support/pooler';
import { freePort } from '../../../support/program';
import { withoutRateLimits } from '../../../support/without-rate-limits';
import type { Exchange } from '../cases/case';
import type { FuzzWorld } from '../cases/valid-request';
import { ownResidentBytes } from '../memory';
import { createInProcessExchange } from './in-process';
import { ShippedService } from './shipped-service';
import { createWireExchange } from './wire';

/** A service that receives cases. */
export interface Target {
  readonly exchange: Exchange;
  readonly peppers: Peppers;
  /** Headers that a proxy in front would add to each request. */
  readonly headers: FuzzWorld['headers'];
  /** The number of concurrent cases. */
  readonly concurrency: number;
  readonly residentBytes: () => Promise<number>;
  /** Error lines of the service's log. */
  readonly errorLines: () => readonly string[];
  /** The port, if it has one. */
  readonly port: number | undefined;
  stop(): Promise<void>;
}

const publicBaseUrl = 'https://api.example';

/** The settings that the database needs. On Citus, the limits are settings of the role. */
async function databaseSettings({ url }: TestDatabase): Promise<Record<string, string>> {
  if (citusNodeUrls() === undefined) return { DATABASE_URL: url };
  await setTimeouts(url, {});
  return { DATABASE_URL: url, ...citusSettings };
}

/**
 * The whole service in this process, with application, HTTP server and parser, over connections
 * without sockets.
 */
export async function startInProcess(database: TestDatabase): Promise<Target> {
  const errorLines: string[] = [];
  const config = readSettings(
    {
      ...(await databaseSettings(database)),
      ALLOW_PLAIN_HTTP: 'on',
      LOG_LEVEL: 'error',
      ...withoutRateLimits,
    },
    listSettings(),
  );
  const logger = pino(
    { level: config.LOG_LEVEL, base: null },
    {
      write(line: string) {
        if (errorLines.length < 50) errorLines.push(line);
      },
    },
  );
  const peppers = new Map([[1, randomBytes(32)]]);
  const { container, server } = assembleService({
    config,
    databaseUrl: database.url,
    peppers,
    publicBaseUrl,
    logger,
  });
  // No client connects to this port. A server that does not listen is shutting down and closes
  // every connection.
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    exchange: createInProcessExchange(server),
    peppers,
    headers: [],
    concurrency: 24,
    residentBytes: ownResidentBytes,
    errorLines: () => errorLines,
    port: undefined,
    async stop() {
      server.closeAllConnections();
      server.close();
      await container.stop();
    },
  };
}

/**
 * The service as shipped: a separate process in production mode, behind a trusted proxy that
 * terminates TLS.
 */
export async function startShipped(database: TestDatabase): Promise<Target> {
  const pepper = randomBytes(32).toString('hex');
  const port = await freePort();
  const service = await ShippedService.start({
    NODE_ENV: 'production',
    PORT: String(port),
    METRICS_PORT: 'off',
    PUBLIC_BASE_URL: publicBaseUrl,
    TRUSTED_PROXIES: '127.0.0.1',
    ...(await databaseSettings(database)),
    CREDENTIAL_PEPPERS: `1:${pepper}`,
    ...withoutRateLimits,
  });
  const { exchange, close } = createWireExchange(port);
  return {
    exchange,
    peppers: new Map([[1, Buffer.from(pepper, 'utf8')]]),
    headers: [['X-Forwarded-Proto', 'https']],
    concurrency: 48,
    residentBytes: () => service.residentBytes(),
    errorLines: () => service.errorLines,
    port,
    async stop() {
      close();
      await service.stop();
    },
  };
}
