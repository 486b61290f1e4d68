import type { Server } from 'node:http';

import type { Config } from '../../src/config';
import { type Container, createContainer } from '../../src/container';
import { createHttpServer } from '../../src/http/server/http-server';
import type { Peppers } from '../../src/modules/key-pairs/credentials';
import type { Resolve } from '../../src/modules/webhooks/destinations';
import type { WebhookKeys } from '../../src/modules/webhooks/webhook-secrets';
import type { Logger } from '../../src/shared/logger';

export const testWebhookKeys: WebhookKeys = new Map([
  [1, Buffer.from('a key of webhooks that is only for tests')],
]);

/** No test asks a name server of the network. Every host except localhost has a public address. */
const resolveTestHost: Resolve = (host) =>
  Promise.resolve([host === 'localhost' ? '127.0.0.1' : '93.184.215.14']);

/** Assembles the service as the server does, without TLS and with the demo pictures. */
export function assembleService(parts: {
  config: Config;
  databaseUrl: string;
  peppers: Peppers;
  publicBaseUrl: string;
  logger: Logger;
  resolveHost?: Resolve;
}): { container: Container; server: Server } {
  const { config, databaseUrl, peppers, publicBaseUrl, logger } = parts;
  const { resolveHost = resolveTestHost } = parts;
  const webhookKeys =
    config.WEBHOOK_SECRET_KEYS ?? (config.NODE_ENV === 'production' ? undefined : testWebhookKeys);
  const container = createContainer(
    config,
    {
      databaseUrl,
      notificationsUrl: config.DATABASE_NOTIFICATIONS_URL ?? databaseUrl,
      peppers,
      webhookKeys,
      resolveHost,
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
