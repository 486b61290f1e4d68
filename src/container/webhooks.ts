import type { Config } from '../config';
import type { PooledDatabase } from '../db/pool/database';
import { createDestinations, type Resolve } from '../modules/webhooks/destinations';
import {
  createWebhookEndpointsService,
  type WebhookEndpointsService,
} from '../modules/webhooks/webhook-endpoints.service';
import { createWebhookEndpointsStore } from '../modules/webhooks/webhook-endpoints.store';
import type { WebhookKeys } from '../modules/webhooks/webhook-secrets';

export interface WebhookOptions {
  webhookKeys: WebhookKeys | undefined;
  resolveHost?: Resolve;
}

const destinationsOf = (config: Pick<Config, 'WEBHOOK_DESTINATIONS'>, { resolveHost }: WebhookOptions) =>
  createDestinations(config.WEBHOOK_DESTINATIONS === 'loopback', resolveHost);

export function createWebhookEndpoints(
  config: Pick<Config, 'WEBHOOK_DESTINATIONS'>,
  options: WebhookOptions,
  database: PooledDatabase,
): WebhookEndpointsService {
  return createWebhookEndpointsService({
    store: createWebhookEndpointsStore(database),
    destinations: destinationsOf(config, options),
    keys: options.webhookKeys,
  });
}
