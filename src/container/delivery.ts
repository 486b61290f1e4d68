import { setTimeout as delay } from 'node:timers/promises';

import type { Config } from '../config';
import type { PooledDatabase } from '../db/pool/database';
import type { Metrics } from '../metrics/metrics';
import type { Readings } from '../metrics/readings';
import { createFaultsStore } from '../modules/sandbox/faults.store';
import { startRelay } from '../modules/events/relay';
import { createRelayStore } from '../modules/events/relay.store';
import { type Courier, startCourier } from '../modules/webhooks/courier';
import { createCourierStore } from '../modules/webhooks/courier.store';
import { createDeliveryReadingsStore } from '../modules/webhooks/delivery-readings.store';
import { createDestinations, type Destinations, type Resolve } from '../modules/webhooks/destinations';
import { type ReplayLane, startReplayLane } from '../modules/webhooks/replay-lane';
import { createReplayLaneStore } from '../modules/webhooks/replay-lane.store';
import { createOldAttemptsStore } from '../modules/webhooks/old-attempts.store';
import { createSendLimits, type SendLimits } from '../modules/webhooks/send-limits';
import { createSender, type Sender } from '../modules/webhooks/sender';
import { senderSettings } from '../modules/webhooks/sender-settings';
import {
  createWebhookAttemptsStore,
  type WebhookAttemptsStore,
} from '../modules/webhooks/webhook-attempts.store';
import { createWebhookEndpointsStore } from '../modules/webhooks/webhook-endpoints.store';
import { type WebhookFaultKind, webhookFaultOperation } from '../modules/webhooks/webhook-fault.field';
import { createWebhookMessages, type WebhookMessages } from '../modules/webhooks/webhook-message';
import type { WebhookKeys } from '../modules/webhooks/webhook-secrets';
import { systemClock } from '../shared/clock';
import type { Logger } from '../shared/logger';
import type { Polling } from '../shared/polling';

export interface WebhookOptions {
  webhookKeys: WebhookKeys | undefined;
  /** Replaces the resolver of the system, for tests. */
  resolveHost?: Resolve;
  /** Replaces the connections to receivers, for tests. */
  createWebhookSender?: (destinations: Destinations) => Sender;
  /** The interval of background work, instead of the usual intervals, for tests. */
  pollMs?: number | undefined;
}

/** The relay and the courier, and the parts that they share with partners' requests. */
export interface DeliveryParts {
  destinations: Destinations;
  sender: Sender;
  limits: SendLimits;
  attempts: WebhookAttemptsStore;
  /** Undefined without master keys: webhooks are then disabled. */
  messages: WebhookMessages | undefined;
  readings: Pick<Readings, 'failingWebhookEndpoints' | 'webhookLagSeconds' | 'longestReplayWaitSeconds'>;
  /** Starts to write events to the feeds and to deliver them. */
  start: () => void;
  stop: () => Promise<void>;
}

export function createDelivery(
  config: Pick<Config, 'WEBHOOK_DESTINATIONS' | 'WEBHOOK_SUCCESSES_DAYS'>,
  { webhookKeys: keys, resolveHost, createWebhookSender, pollMs }: WebhookOptions,
  deps: {
    database: PooledDatabase;
    metrics: Pick<Metrics, 'webhooks' | 'sandbox'>;
    logger: Logger;
    /** At shutdown, requests to receivers that are in progress get this time. */
    sendsWithinMs: number;
  },
): DeliveryParts {
  const { database, metrics, logger } = deps;
  const destinations = createDestinations(config.WEBHOOK_DESTINATIONS === 'loopback', resolveHost);
  const sender = createWebhookSender?.(destinations) ?? createSender(destinations, senderSettings);
  const limits = createSendLimits();
  const attempts = createWebhookAttemptsStore(database, config.WEBHOOK_SUCCESSES_DAYS);
  const oldAttempts = createOldAttemptsStore(database, config.WEBHOOK_SUCCESSES_DAYS);
  const messages = keys && createWebhookMessages(keys, systemClock);
  const store = createCourierStore(database);
  const replays = createReplayLaneStore(database);
  const endpointReadings = createDeliveryReadingsStore(database);
  const endpoints = createWebhookEndpointsStore(database);
  const faults = createFaultsStore(database);
  let courier: Courier | undefined;
  let replayLane: ReplayLane | undefined;
  let relay: Pick<Polling, 'stop'> | undefined;
  return {
    destinations,
    sender,
    limits,
    attempts,
    messages,
    readings: {
      failingWebhookEndpoints: endpointReadings.failing,
      webhookLagSeconds: endpointReadings.lagSeconds,
      longestReplayWaitSeconds: replays.longestWaitSeconds,
    },
    start() {
      if (!messages) logger.warn('WEBHOOK_SECRET_KEYS is not set, so no webhook is delivered');
      courier =
        messages &&
        startCourier({
          ...{ store, sender, messages, oldAttempts, logger, pollMs },
          ...metrics.webhooks,
          async takeFault(environmentId) {
            const taken = await faults.take(environmentId, webhookFaultOperation);
            // Only delivery faults can be armed for this operation.
            return taken && { ...taken, kind: taken.kind as WebhookFaultKind };
          },
          onFault: metrics.sandbox.onFault,
        });
      replayLane =
        messages &&
        startReplayLane({ store: replays, endpoints, sender, limits, messages, attempts, logger, pollMs });
      relay = startRelay(createRelayStore(database), logger, () => courier?.wake());
    },
    async stop() {
      const ended = Promise.all([relay?.stop(), replayLane?.stop(), courier?.stop()]);
      // The courier and the replay lane share the sender.
      await Promise.race([ended, delay(deps.sendsWithinMs, undefined, { ref: false })]);
      sender.stop();
      await ended;
    },
  };
}
