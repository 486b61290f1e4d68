import { documentationFeature } from './features/documentation/documentation.feature';
import type { Feature } from './feature';
import { disputesFeature } from './features/disputes/disputes.feature';
import { returnsFeature } from './features/returns/returns.feature';
import { totalsFeature } from './features/totals/totals.feature';
import { eventsFeature } from './features/events/events.feature';
import { createWebhooksFeature } from './features/webhooks/webhooks.feature';
import { bankStatementsFeature } from './features/bank-statements/bank-statements.feature';
import { sandboxFeature } from './features/sandbox/sandbox.feature';

/** What the service does beside the core. Each may rely on those before it. */
export const features: readonly Feature[] = [
  returnsFeature,
  disputesFeature,
  totalsFeature,
  eventsFeature,
  createWebhooksFeature(),
  bankStatementsFeature,
  // After all operations, because a fault can hit each of them.
  sandboxFeature,
  documentationFeature,
];
