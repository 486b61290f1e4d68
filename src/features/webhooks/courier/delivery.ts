import type { FeedEvent } from '../../events/feed-event';
import type { AttemptKind } from '../attempts/attempt-kind.field';
import type { SendResult } from '../sending/sender';
import type { Reliability } from './shares';
import type { WebhookEndpoint } from '../endpoints/webhook-endpoint';

/** An endpoint that may have something to deliver. */
export interface Work {
  environmentId: number;
  endpointId: string;
  reliability: Reliability;
}

/** An endpoint that this process alone serves until the lease ends. */
export interface ClaimedEndpoint extends WebhookEndpoint {
  leaseId: string;
  /** Identifies the settings. A session ends after the batch in which they change. */
  settings: string;
  failureCount: number;
  failingForSeconds: number;
  probeCount: number;
  /**
   * How many notices have reported the failures since the last success. -1 if failures were
   * reported, and the partner has then changed the URL or enabled the endpoint.
   */
  noticeCount: number;
  /** Whether deliveries are stopped and a probe is due. */
  isProbeDue: boolean;
  hasRetries: boolean;
}

/** An event to deliver. */
export interface Delivery {
  kind: Extract<AttemptKind, 'first' | 'retry'>;
  event: FeedEvent;
  /** The number of failed attempts. */
  attempts: number;
  /**
   * The number of failed attempts since the endpoint's last success. An outage may have caused
   * them.
   */
  outageAttempts: number;
  /** Whether an earlier event of the same subject waits for a retry. */
  isBlocked: boolean;
  /** Whether the database has a row for the next attempt. */
  hasRetry: boolean;
}

export interface DeliveryBatch {
  deliveries: Delivery[];
  /** The position after these deliveries. */
  endsAt: number;
  hasMore: boolean;
  /** Whether nothing was read because the settings have changed or the lease was lost. */
  isOutdated: boolean;
}

export interface DueRetries {
  deliveries: Delivery[];
  /** Ids of events whose retries end without an attempt: see `is_missing` in `courier.store.ts`. */
  missing: string[];
  hasMore: boolean;
}

/** The result of an attempt, with the result of the copy that a sandbox fault added. */
export type AttemptResult = SendResult & { copy?: SendResult | undefined };

/** A delivery that a sandbox fault delays. */
export interface HeldBack {
  heldForMs: number;
  /** Whether later events of the same subject wait for it. */
  keepsOrder: boolean;
}

/** A delivery with its result. It ended at `endedAt`, in milliseconds of `performance.now()`. */
export interface Attempted {
  delivery: Delivery;
  result: AttemptResult;
  endedAt: number;
}
