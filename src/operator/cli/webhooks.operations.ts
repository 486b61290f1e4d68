import type { Statements } from '../../db/operator-transaction';
import { createOperatorEndpointsStore } from '../../modules/webhooks/operator-endpoints.store';
import { createSendLimits } from '../../modules/webhooks/send-limits';
import { endpointNotFound } from '../../modules/webhooks/webhook-endpoints.service';
import { createWebhookReplaysService } from '../../modules/webhooks/webhook-replays.service';
import { createWebhookReplaysStore } from '../../modules/webhooks/webhook-replays.store';
import { runWith } from './run-with';

export type WebhookOperations = ReturnType<typeof createWebhookOperations>;

/** Creates what the commands for webhooks use. */
export const createWebhookOperations = (statements: Statements) => ({
  webhookEndpoints: createOperatorEndpointsStore(statements),
  // Only the service needs WEBHOOK_SECRET_KEYS, to send. A command may run without it.
  webhookReplays: createWebhookReplaysService({
    store: createWebhookReplaysStore(statements),
    rejectUnknown: () => Promise.reject(endpointNotFound()),
    ...{ limits: createSendLimits(), isConfigured: true },
  }),
});

export const { act, look, lookAt } = runWith(createWebhookOperations);
