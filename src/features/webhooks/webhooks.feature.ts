import type { Feature } from '../../feature';
import { webhooksCommand } from './cli/webhooks.command';
import { webhookFindings } from './webhooks.findings';
import { webhookChecks } from './webhooks.checks';
import { createEventsService } from '../events/events.service';
import { createEventsStore } from '../events/events.store';
import { webhookErrors } from './webhooks.errors';
import { createDeliveryReadings } from './courier/delivery-readings.store';
import { createDeliveries, type DeliveryOverrides } from './deliveries';
import { webhookEndpointsContract } from './endpoints/webhook-endpoints.contract';
import { webhookEndpointsRoutes } from './endpoints/webhook-endpoints.router';
import { createWebhookEndpointsService } from './endpoints/webhook-endpoints.service';
import { createWebhookEndpointsStore } from './endpoints/webhook-endpoints.store';
import { webhookMessagesContract } from './sending/webhook-messages.contract';
import { webhookReplaysContract } from './replays/webhook-replays.contract';
import { webhookReplaysRoutes } from './replays/webhook-replays.router';
import { createWebhookReplaysService } from './replays/webhook-replays.service';
import { createWebhookReplaysStore } from './replays/webhook-replays.store';
import { webhookRequestsContract } from './requests/webhook-requests.contract';
import { webhookRequestsRoutes } from './requests/webhook-requests.router';
import { createWebhookRequestsService } from './requests/webhook-requests.service';
import { webhookKeysOf } from './endpoints/webhook-secrets';
import { webhookSettings } from './webhooks.settings';
import { webhookScopes } from './webhooks.scopes';

/** The endpoints to which events are delivered. @param overrides for tests */
export const createWebhooksFeature = (
  overrides: DeliveryOverrides = {},
): Feature<typeof webhookSettings> => ({
  name: 'webhooks',
  scopes: webhookScopes,
  errors: webhookErrors,
  contracts: () => [
    ...Object.values(webhookEndpointsContract),
    ...Object.values(webhookRequestsContract),
    ...Object.values(webhookReplaysContract),
  ],
  messages: webhookMessagesContract,
  checks: webhookChecks,
  findings: webhookFindings,
  commands: [{ before: 'actions', create: webhooksCommand }],
  settings: webhookSettings,
  create(process, settings) {
    const { database } = process;
    const keys = webhookKeysOf({ ...process, ...overrides }, settings);
    const deliveries = createDeliveries(process, settings, keys, overrides);
    return {
      deliver: deliveries.start,
      stop: deliveries.stop,
      serve: ({ publicBaseUrl }) => ({
        routes(routes) {
          const { destinations, limits } = deliveries;
          const endpoints = createWebhookEndpointsService({
            store: createWebhookEndpointsStore(database),
            destinations,
            limits,
            keys,
          });
          const events = createEventsService(createEventsStore(database));
          webhookEndpointsRoutes(routes, publicBaseUrl, endpoints);
          webhookRequestsRoutes(routes, createWebhookRequestsService({ ...deliveries, endpoints, events }));
          webhookReplaysRoutes(
            routes,
            publicBaseUrl,
            createWebhookReplaysService({
              store: createWebhookReplaysStore(database),
              rejectUnknown: endpoints.rejectUnknown,
              limits,
              isConfigured: keys !== undefined,
            }),
          );
        },
        readings: createDeliveryReadings(database),
      }),
    };
  },
});
