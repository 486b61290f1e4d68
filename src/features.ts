import { documentationFeature } from './documentation/documentation.feature';
import type { Feature } from './feature';
import { returnsFeature } from './modules/returns/returns.feature';
import { totalsFeature } from './modules/contribution-totals/totals.feature';
import { eventsFeature } from './modules/events/events.feature';
import { createWebhooksFeature } from './modules/webhooks/webhooks.feature';
import { statementsFeature } from './modules/statements/statements.feature';
import { sandboxFeature } from './modules/sandbox/sandbox.feature';

/** What the service does beside the core. Each may rely on those before it. */
export const features: readonly Feature[] = [
  returnsFeature,
  totalsFeature,
  eventsFeature,
  createWebhooksFeature(),
  statementsFeature,
  // After all operations, because a fault can hit each of them.
  sandboxFeature,
  documentationFeature,
];
