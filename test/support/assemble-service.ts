import type { Server } from 'node:http';

import type { Config } from '../../src/read-settings';
import { type Container, createContainer } from '../../src/container';
import type { Feature } from '../../src/feature';
import { features as allFeatures } from '../../src/features';
import { createHttpServer } from '../../src/http/server/http-server';
import type { Peppers } from '../../src/core/key-pairs/credentials';
import type { Destinations, Resolve } from '../../src/features/webhooks/sending/destinations';
import { createSender } from '../../src/features/webhooks/sending/sender';
import { senderSettings } from '../../src/features/webhooks/sending/sender-settings';
import { createWebhooksFeature } from '../../src/features/webhooks/webhooks.feature';
import type { WebhookKeys } from '../../src/features/webhooks/endpoints/webhook-secrets';
import type { Logger } from '../../src/shared/logger';

export const testWebhookKeys: WebhookKeys = new Map([
  [1, Buffer.from('a key of webhooks that is only for tests')],
]);

/** Tests query no real name server. Every host except localhost has a public address. */
const resolveTestHost: Resolve = (host) =>
  Promise.resolve([host === 'localhost' ? '127.0.0.1' : '93.184.215.14']);

/** No test connects to the network. Receivers on this machine are real. */
function createTestSender(destinations: Destinations) {
  const sender = createSender(destinations, senderSettings);
  return {
    ...sender,
    send: (message: Parameters<typeof sender.send>[0]) =>
      /^https?:\/\/(127\.0\.0\.1|localhost)[:/]/.test(message.url)
        ? sender.send(message)
        : Promise.resolve({
            isSuccess: false,
            status: undefined,
            failure: 'connection_refused' as const,
            response: undefined,
            retryAfterSeconds: undefined,
            durationMs: 0,
          }),
  };
}

/** Assembles the service as the server does, without TLS and with the demo pictures. */
export function assembleService(parts: {
  config: Config;
  databaseUrl: string;
  peppers: Peppers;
  publicBaseUrl: string;
  logger: Logger;
  resolveHost?: Resolve;
  pollMs?: number | undefined;
  isOneServer?: boolean;
  features?: readonly Feature[];
}): { container: Container; server: Server } {
  const { config, databaseUrl, peppers, publicBaseUrl, logger } = parts;
  const { resolveHost = resolveTestHost, pollMs, features = allFeatures } = parts;
  const webhooks = createWebhooksFeature({
    storedKey: () => new Map(testWebhookKeys),
    ...{ resolveHost, createSender: createTestSender },
  });
  const container = createContainer(
    config,
    {
      databaseUrl,
      isOneServer: parts.isOneServer ?? false,
      notificationsUrl: config.DATABASE_NOTIFICATIONS_URL ?? databaseUrl,
      peppers,
      publicBaseUrl,
      servesDemoPictures: true,
      pollMs,
    },
    logger,
    features.map((feature) => (feature.name === webhooks.name ? webhooks : feature)),
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
