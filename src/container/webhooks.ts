import type { PooledDatabase } from '../db/pool/database';
import type { EventsService } from '../modules/events/events.service';
import {
  createWebhookEndpointsService,
  type WebhookEndpointsService,
} from '../modules/webhooks/webhook-endpoints.service';
import { createWebhookEndpointsStore } from '../modules/webhooks/webhook-endpoints.store';
import {
  createWebhookReplaysService,
  type WebhookReplaysService,
} from '../modules/webhooks/webhook-replays.service';
import { createWebhookReplaysStore } from '../modules/webhooks/webhook-replays.store';
import {
  createWebhookRequestsService,
  type WebhookRequestsService,
} from '../modules/webhooks/webhook-requests.service';
import type { WebhookKeys } from '../modules/webhooks/webhook-secrets';
import type { DeliveryParts } from './delivery';

export interface Webhooks {
  endpoints: WebhookEndpointsService;
  requests: WebhookRequestsService;
  replays: WebhookReplaysService;
}

/** Builds the webhook endpoints, which share the connections to receivers with the courier. */
export function createWebhooks(
  database: PooledDatabase,
  events: Pick<EventsService, 'get'>,
  keys: WebhookKeys | undefined,
  { destinations, sender, limits, attempts, messages }: DeliveryParts,
): Webhooks {
  const endpoints = createWebhookEndpointsService({
    store: createWebhookEndpointsStore(database),
    destinations,
    limits,
    keys,
  });
  return {
    endpoints,
    requests: createWebhookRequestsService({ endpoints, events, attempts, sender, limits, messages }),
    replays: createWebhookReplaysService({
      store: createWebhookReplaysStore(database),
      rejectUnknown: endpoints.rejectUnknown,
      limits,
      isConfigured: keys !== undefined,
    }),
  };
}
