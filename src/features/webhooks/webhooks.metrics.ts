import type { AttemptOutcome } from './attempts/attempt-kind.field';
import type { Delivery } from './courier/delivery';
import type { SendResult } from './sending/sender';
import type { MetricsOfFeature } from '../../metrics/feature-metrics';
import { countBy } from '../../metrics/outcomes';

export interface WebhookMetrics {
  onAttempt: (delivery: Pick<Delivery, 'event' | 'kind'>, result: SendResult, isExhausted: boolean) => void;
}

const noAttempts: Record<AttemptOutcome, 0> = { delivered: 0, failed: 0, exhausted: 0 };

/** Deliveries of events to webhook endpoints. Every outcome starts at 0. */
export function createWebhookMetrics(metrics: MetricsOfFeature): WebhookMetrics {
  const attempts = countBy(
    metrics,
    'outcome',
    {
      name: 'webhook_attempts_total',
      help: 'Attempts to deliver events to webhook endpoints, by outcome. An event with the outcome exhausted is not retried.',
    },
    noAttempts,
  );
  const delays = metrics.histogram({
    name: 'webhook_first_attempt_delay_seconds',
    help: 'Time from the recording of an event to the end of its first delivery, if that succeeded.',
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 600],
  });
  return {
    onAttempt({ event, kind }, { isSuccess }, isExhausted) {
      attempts.inc({ outcome: isSuccess ? 'delivered' : isExhausted ? 'exhausted' : 'failed' });
      if (isSuccess && kind === 'first')
        delays.observe(Math.max(0, Date.now() - event.recordedAt.getTime()) / 1_000);
    },
  };
}
