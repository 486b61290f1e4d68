import type { FeedEvent } from '../events/feed-event';
import type { AttemptKind } from './attempt-kind.field';
import type { SendResult } from './sender';
import type { Standing } from './shares';
import type { WebhookEndpoint } from './webhook-endpoint';

/** An endpoint that may have something to deliver. */
export interface Work {
  environmentId: number;
  endpointId: string;
  standing: Standing;
}

/** An endpoint that this process alone serves until the lease ends. */
export interface ClaimedEndpoint extends WebhookEndpoint {
  leaseId: string;
  /** Identifies the settings. A session ends after the batch in which they change. */
  settings: string;
  failureCount: number;
  failingForSeconds: number;
  probeCount: number;
  /** How many notices have reported the failures since the last success. */
  noticeCount: number;
  /** Deliveries are stopped, and a probe is due. */
  isProbeDue: boolean;
  hasRetries: boolean;
}

/** An event to deliver. */
export interface Delivery {
  kind: Extract<AttemptKind, 'first' | 'retry'>;
  event: FeedEvent;
  /** The number of failed attempts. */
  attempts: number;
  /** Those of them since the last success of the endpoint. An outage may have caused them. */
  outageAttempts: number;
  /** Earlier events of the same subject wait for a retry. */
  isBlocked: boolean;
  /** The database has a row for its next attempt. */
  hasRetry: boolean;
}

export interface DeliveryBatch {
  deliveries: Delivery[];
  /** The position after all of them. */
  endsAt: number;
  hasMore: boolean;
  /** The settings have changed or the lease was lost, so nothing was read. */
  isOutdated: boolean;
}

export interface DueRetries {
  deliveries: Delivery[];
  /** Events that the feed no longer keeps. */
  missing: string[];
  hasMore: boolean;
}

/** The result of an attempt, and that of the copy that a sandbox fault added. */
export type AttemptResult = SendResult & { copy?: SendResult | undefined };

/** A sandbox fault delays the delivery. */
export interface HeldBack {
  heldForMs: number;
  /** Later events of the same subject wait for it. */
  keepsOrder: boolean;
}

/** A delivery with its result, and when it ended, in milliseconds of `performance.now()`. */
export interface Attempted {
  delivery: Delivery;
  result: AttemptResult;
  endedAt: number;
}
