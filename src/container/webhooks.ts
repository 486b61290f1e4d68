import type { Config } from '../config';
import type { PooledDatabase } from '../db/pool/database';
import type { Metrics } from '../metrics/metrics';
import type { EventsService } from '../modules/events/events.service';
import { type Courier, startCourier } from '../modules/webhooks/courier';
import { createCourierStore } from '../modules/webhooks/courier.store';
import { createDestinations, type Destinations, type Resolve } from '../modules/webhooks/destinations';
import { type ReplayLane, startReplayLane } from '../modules/webhooks/replay-lane';
import { createReplayLaneStore } from '../modules/webhooks/replay-lane.store';
import { createSender, type Sender } from '../modules/webhooks/sender';
import { senderSettings } from '../modules/webhooks/sender-settings';
import { createWebhookAttemptsStore } from '../modules/webhooks/webhook-attempts.store';
import {
  createWebhookEndpointsService,
  type WebhookEndpointsService,
} from '../modules/webhooks/webhook-endpoints.service';
import { createWebhookEndpointsStore } from '../modules/webhooks/webhook-endpoints.store';
import { createWebhookMessages } from '../modules/webhooks/webhook-message';
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
import { systemClock } from '../shared/clock';
import type { Logger } from '../shared/logger';

export interface WebhookOptions {
  webhookKeys: WebhookKeys | undefined;
  /** Replaces the resolver of the system, for tests. */
  resolveHost?: Resolve;
  /** Replaces the connections to receivers, for tests. */
  createWebhookSender?: (destinations: Destinations) => Sender;
}

export interface Webhooks {
  endpoints: WebhookEndpointsService;
  requests: WebhookRequestsService;
  replays: WebhookReplaysService;
  /** Starts to deliver events, unless WEBHOOK_DELIVERY is off. */
  start: () => void;
  /** How many endpoints of the installation fail. */
  failingCount: () => Promise<number>;
  stop: () => Promise<void>;
}

/** Builds the webhook endpoints and the courier, which share the connections to receivers. */
export function createWebhooks(
  config: Pick<Config, 'WEBHOOK_DESTINATIONS' | 'WEBHOOK_DELIVERY'>,
  { webhookKeys: keys, resolveHost, createWebhookSender }: WebhookOptions,
  deps: {
    database: PooledDatabase;
    events: Pick<EventsService, 'get'>;
    metrics: Pick<Metrics, 'webhooks'>;
    logger: Logger;
  },
): Webhooks {
  const { database, events, metrics, logger } = deps;
  const destinations = createDestinations(config.WEBHOOK_DESTINATIONS === 'loopback', resolveHost);
  const sender = createWebhookSender?.(destinations) ?? createSender(destinations, senderSettings);
  const attempts = createWebhookAttemptsStore(database);
  const messages = keys && createWebhookMessages(keys, systemClock);
  const endpointsStore = createWebhookEndpointsStore(database);
  const endpoints = createWebhookEndpointsService({
    store: endpointsStore,
    destinations,
    keys,
  });
  let courier: Courier | undefined;
  let replayLane: ReplayLane | undefined;
  const store = createCourierStore(database);
  return {
    endpoints,
    failingCount: store.failingCount,
    requests: createWebhookRequestsService({ endpoints, events, attempts, sender, messages }),
    replays: createWebhookReplaysService({
      store: createWebhookReplaysStore(database),
      isConfigured: keys !== undefined,
    }),
    start() {
      if (!messages || !config.WEBHOOK_DELIVERY) return;
      courier = startCourier({ store, sender, messages, attempts, logger, ...metrics.webhooks });
      const lane = createReplayLaneStore(database);
      replayLane = startReplayLane({
        store: lane,
        endpoints: endpointsStore,
        sender,
        messages,
        attempts,
        logger,
      });
    },
    async stop() {
      // The courier closes the connections of both.
      await Promise.all([replayLane?.stop(), courier?.stop()]);
      sender.stop();
    },
  };
}
