import { setTimeout as delay } from 'node:timers/promises';

import type { ServiceProcess } from '../../feature';
import { createWebhookMetrics } from './webhooks.metrics';
import type { Polling } from '../../shared/polling';
import { systemClock } from '../../shared/clock';
import { createFaultsStore } from '../sandbox/faults.store';
import { type Courier, startCourier } from './courier/courier';
import { createCourierStore } from './courier/courier.store';
import { createDestinations, type Destinations, type Resolve } from './sending/destinations';
import { startHourlyTrim } from './attempts/hourly-trim';
import { createOldRowsStore } from './attempts/old-rows.store';
import { type ReplayLane, startReplayLane } from './replays/replay-lane';
import { createReplayLaneStore } from './replays/replay-lane.store';
import { createSendLimits } from './requests/send-limits';
import { createSender, type Sender } from './sending/sender';
import { senderSettings } from './sending/sender-settings';
import { createWebhookAttemptsStore } from './attempts/webhook-attempts.store';
import { createWebhookEndpointsStore } from './endpoints/webhook-endpoints.store';
import { type WebhookFaultKind, webhookFaultOperation } from './courier/webhook-fault.field';
import { createWebhookMessages } from './sending/webhook-message';
import type { WebhookKeys } from './endpoints/webhook-secrets';
import type { WebhookSettings } from './webhooks.settings';

export interface DeliveryOverrides {
  /** Replaces the key that is generated once. */
  storedKey?: ServiceProcess['storedKey'];
  /** Replaces the resolver of the system. */
  resolveHost?: Resolve | undefined;
  /** Replaces the connections to receivers. */
  createSender?: (destinations: Destinations) => Sender;
}

/** The courier and the replay lane, and what they share with partners' requests. */
export type Deliveries = ReturnType<typeof createDeliveries>;

export function createDeliveries(
  { database, logger, metrics, pollMs, signals, stopWithinMs }: ServiceProcess,
  settings: WebhookSettings,
  keys: WebhookKeys | undefined,
  overrides: DeliveryOverrides,
) {
  const destinations = createDestinations(
    settings.WEBHOOK_DESTINATIONS === 'loopback',
    overrides.resolveHost,
  );
  const sender = overrides.createSender?.(destinations) ?? createSender(destinations, senderSettings);
  const limits = createSendLimits();
  const attempts = createWebhookAttemptsStore(database, settings.WEBHOOK_SUCCESSES_DAYS);
  const messages = keys && createWebhookMessages(keys, systemClock);
  const faults = createFaultsStore(database);
  const { onAttempt } = createWebhookMetrics(metrics);
  let courier: Courier | undefined;
  let replayLane: ReplayLane | undefined;
  let trimming: Pick<Polling, 'stop'> | undefined;
  signals.eventsWritten.listen(() => courier?.wake());
  return {
    destinations,
    sender,
    limits,
    attempts,
    /** Undefined without master keys: webhooks are then disabled. */
    messages,
    /** Starts to deliver events to endpoints. */
    start: () => {
      if (!messages) {
        logger.warn('WEBHOOK_SECRET_KEYS is not set, so no webhook is delivered');
        return;
      }
      courier = startCourier({
        store: createCourierStore(database),
        async takeFault(environmentId) {
          const taken = await faults.take(environmentId, webhookFaultOperation);
          // Only delivery faults can be armed for this operation.
          return taken && { ...taken, kind: taken.kind as WebhookFaultKind };
        },
        onFault: signals.faultInjected.send,
        ...{ sender, messages, logger, pollMs, onAttempt },
      });
      replayLane = startReplayLane({
        store: createReplayLaneStore(database),
        endpoints: createWebhookEndpointsStore(database),
        ...{ sender, limits, messages, attempts, logger, pollMs },
      });
      const { trim } = createOldRowsStore(database, settings.WEBHOOK_SUCCESSES_DAYS);
      trimming = startHourlyTrim(trim, logger);
    },
    stop: async () => {
      const ended = Promise.all([replayLane?.stop(), courier?.stop(), trimming?.stop()]);
      // The courier and the replay lane share the sender.
      await Promise.race([ended, delay(stopWithinMs, undefined, { ref: false })]);
      sender.stop();
      await ended;
    },
  };
}
