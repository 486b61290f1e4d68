import type { Server } from 'node:http';

import type { Config } from '../../src/config';
import { type Container, createContainer } from '../../src/container';
import { createHttpServer } from '../../src/http/server/http-server';
import type { Peppers } from '../../src/modules/key-pairs/credentials';
import type { Logger } from '../../src/shared/logger';

/** Assembles the service as the server does, without TLS and with the demo pictures. */
export function assembleService(parts: {
  config: Config;
  databaseUrl: string;
  peppers: Peppers;
  publicBaseUrl: string;
  logger: Logger;
}): { container: Container; server: Server } {
  const { config, databaseUrl, peppers, publicBaseUrl, logger } = parts;
  const container = createContainer(
    config,
    {
      databaseUrl,
      notificationsUrl: config.DATABASE_NOTIFICATIONS_URL ?? databaseUrl,
      peppers,
      publicBaseUrl,
      servesDemoPictures: true,
    },
    logger,
  );
  const { server } = createHttpServer(container.app, {
    publicBaseUrl,
    headersTimeoutMs: config.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    tls: undefined,
    ...container.serverHooks,
  });
  return { container, server };
}
