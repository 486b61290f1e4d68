import type { Queries } from '../../../db/operator-transaction';
import { createOperatorEndpointsStore } from '../endpoints/operator-endpoints.store';
import { createSendLimits } from '../requests/send-limits';
import { endpointNotFound } from '../endpoints/webhook-endpoints.service';
import { createWebhookReplaysService } from '../replays/webhook-replays.service';
import { createWebhookReplaysStore } from '../replays/webhook-replays.store';
import { runWith } from '../../../operator/cli/run-with';

export type WebhookOperations = ReturnType<typeof createWebhookOperations>;

/** Creates what the commands for webhooks use. */
export function createWebhookOperations(queries: Queries) {
  const store = createWebhookReplaysStore(queries);
  return {
    webhookEndpoints: createOperatorEndpointsStore(queries),
    cancelRunning: store.cancelRunning,
    // Only the service needs WEBHOOK_SECRET_KEYS, to send. A command may run without it.
    webhookReplays: createWebhookReplaysService({
      store,
      rejectUnknown: () => Promise.reject(endpointNotFound()),
      ...{ limits: createSendLimits(), isConfigured: true },
    }),
  };
}

export const { runChange, runRead, runReadOf } = runWith(createWebhookOperations);
