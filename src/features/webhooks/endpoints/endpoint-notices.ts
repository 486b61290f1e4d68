import { v7 as uuidv7 } from 'uuid';

import type { EventType } from '../../events/event-type.field';
import {
  type EnvironmentEvent,
  type WebhookDeliveryEventData,
  type WebhookEndpointEventData,
} from '../../events/feed-event';
import type { Attempted, ClaimedEndpoint } from '../courier/delivery';
import { disablesAfterSeconds, type NextHealth } from '../courier/retry-schedule';
import type { DisabledReason } from './webhook-status.field';

/** An event about an endpoint, with the member names that `settle_webhook_batch` expects. */
export interface Notice {
  event_id: string;
  type: EnvironmentEvent['type'];
  data: WebhookEndpointEventData | WebhookDeliveryEventData;
}

const hourSeconds = 3_600;
/** A failing endpoint is reported after these times: 1 hour, 1 day and 4 days. */
const noticesAfterSeconds = [hourSeconds, 24 * hourSeconds, 96 * hourSeconds] as const;

const notice = (type: Notice['type'], data: Notice['data']): Notice => ({ event_id: uuidv7(), type, data });

/**
 * The notices to add to the feed, by the health of an endpoint after a batch.
 *
 * @param hasSuccess whether an attempt of the batch succeeded
 */
export function healthNotices(
  endpoint: Pick<ClaimedEndpoint, 'endpointId' | 'failingSince' | 'failingForSeconds' | 'noticeCount'>,
  next: NextHealth,
  hasSuccess: boolean,
  disabledReason: DisabledReason | null,
): { notices: Notice[]; noticeCount: number } {
  const since = endpoint.failingSince;
  const about = (changes: Partial<WebhookEndpointEventData>): WebhookEndpointEventData => ({
    endpoint_id: endpoint.endpointId,
    failing_since: since?.toISOString() ?? null,
    disables_at: null,
    disabled_reason: null,
    ...changes,
  });
  const stillFails = next.failingSince === 'before';
  const reached = stillFails
    ? noticesAfterSeconds.filter((seconds) => endpoint.failingForSeconds >= seconds).length
    : 0;
  const kept = hasSuccess ? 0 : endpoint.noticeCount;
  const noticeCount = reached > 0 ? Math.max(reached, kept) : kept;
  const notices: Notice[] = [];
  if (hasSuccess && endpoint.noticeCount !== 0) notices.push(notice('webhook_endpoint.recovered', about({})));
  if (disabledReason !== null) {
    const failing = stillFails ? {} : { failing_since: null };
    notices.push(notice('webhook_endpoint.disabled', about({ ...failing, disabled_reason: disabledReason })));
  } else if (reached > Math.max(endpoint.noticeCount, 0) && since) {
    const disablesAt = new Date(since.getTime() + disablesAfterSeconds * 1_000).toISOString();
    notices.push(notice('webhook_endpoint.failing', about({ disables_at: disablesAt })));
  }
  return { notices, noticeCount };
}

/** Whether an exhausted event causes a notice. Notices do not, or each would cause another one. */
const causesNotice = (type: EventType): boolean => !type.startsWith('webhook_');

/** Reports exhausted deliveries. */
export const exhaustedNotices = (endpointId: string, exhausted: readonly Attempted[]): Notice[] =>
  exhausted
    .filter(({ delivery }) => causesNotice(delivery.event.type))
    .map(({ delivery: { event, attempts }, result }) =>
      notice('webhook_delivery.exhausted', {
        endpoint_id: endpointId,
        event_id: event.eventId,
        event_type: event.type,
        transaction_id: event.transactionId,
        attempts: attempts + 1,
        failure: result.failure ?? 'status',
        status: result.status ?? null,
      }),
    );
