import { type BatchLog, logOfBatch } from '../attempts/attempt-log';
import { subjectOf } from '../../events/feed-event';
import type { Attempted, ClaimedEndpoint, Delivery, HeldBack } from './delivery';
import { exhaustedNotices, healthNotices, type Notice } from '../endpoints/endpoint-notices';
import { type Counted, countFailures, notAttempted } from './failed-attempts';
import {
  disablesAfterSeconds,
  healthWithoutAttempt,
  isOutage,
  nextHealth,
  type NextHealth,
  retryWaitSeconds,
} from './retry-schedule';
import type { BatchOutcome } from './ordered-deliveries';
import type { SendResult } from '../sending/sender';
import type { DisabledReason } from '../endpoints/webhook-status.field';

interface Rescheduled extends Counted {
  event_id: string;
  wait_seconds: number;
}

/**
 * The input of the database function `settle_webhook_batch`, with the member names that it expects.
 */
export interface RecordedBatch extends BatchLog {
  settings: string;
  /** The URL to which the batch was sent. */
  url: string;
  /** The failures in a row before the batch. */
  failures_before: number;
  has_late: boolean;
  position: number;
  has_success: boolean;
  continues: boolean;
  disabled_reason: DisabledReason | null;
  /** Null if the batch does not change the health. */
  health: {
    failure_count: number;
    failing_since: 'never' | 'before' | 'now';
    next_probe_seconds: number | null;
    probe_count: number;
    notice_count: number;
  } | null;
  /** Events about the endpoint's health. */
  health_notices: Notice[];
  exhausted_notices: Notice[];
  ends_failures: boolean;
  ends_outage: boolean;
  postponed: (Rescheduled & { sequence: number; transaction_id: string })[];
  rescheduled: Rescheduled[];
  removed: string[];
  /** Ids of events to give up, if the failures count. */
  exhausted: string[];
}

/** Whether the receiver wants no more events (status 410). */
export const isGone = ({ status }: SendResult): boolean => status === 410;

/**
 * Postpones a delayed delivery. Newer events of its contribution wait only if `keepsOrder` is true.
 * Otherwise, the id of its event is stored as its subject, so it blocks no other event.
 */
const postponedByFault = ({ delivery, heldForMs, keepsOrder }: HeldBack & { delivery: Delivery }) => ({
  ...postponed(delivery, notAttempted, heldForMs / 1_000),
  ...(!keepsOrder && { transaction_id: delivery.event.eventId }),
});

const withoutRetry = (deliveries: readonly Delivery[]): Delivery[] =>
  deliveries.filter(({ hasRetry }) => !hasRetry);
const withRetry = (deliveries: readonly Delivery[]): Delivery[] =>
  deliveries.filter(({ hasRetry }) => hasRetry);

/** If this process dies, another one repeats an unfinished delivery after this time. */
const unfinishedSeconds = 30;

const postponed = ({ event }: Delivery, counted: Counted, waitSeconds: number) => ({
  event_id: event.eventId,
  sequence: event.sequence,
  transaction_id: subjectOf(event),
  ...counted,
  wait_seconds: waitSeconds,
});

const rescheduled = ({ event }: Delivery, counted: Counted, waitSeconds: number) => ({
  event_id: event.eventId,
  ...counted,
  wait_seconds: waitSeconds,
});

const waitAfter = ({ delivery, result }: Attempted): number =>
  retryWaitSeconds(delivery.attempts + 1, result.retryAfterSeconds, Math.random());

/** The changes to the rows of retries. A failed probe of a new event adds no row. */
function retriesAfter(
  { attempted, held, blocked, unfinished }: BatchOutcome,
  missing: readonly string[],
  isProbe: boolean,
  countedOf: (one: Attempted) => Counted,
  isExhausted: (one: Attempted) => boolean,
): Pick<RecordedBatch, 'postponed' | 'rescheduled' | 'removed' | 'exhausted'> {
  const failed = attempted.filter(({ result }) => !result.isSuccess);
  const retried = attempted.filter(({ delivery }) => delivery.hasRetry);
  const failedAgain = retried.filter(({ result }) => !result.isSuccess);
  const idsOf = (some: readonly Attempted[]): string[] => some.map(({ delivery }) => delivery.event.eventId);
  return {
    postponed: [
      ...failed
        .filter(({ delivery }) => !delivery.hasRetry && !isProbe)
        .map((one) => postponed(one.delivery, countedOf(one), waitAfter(one))),
      ...held.map(postponedByFault),
      ...withoutRetry(blocked).map((delivery) => postponed(delivery, notAttempted, 0)),
      ...withoutRetry(unfinished).map((delivery) => postponed(delivery, notAttempted, unfinishedSeconds)),
    ],
    rescheduled: [
      ...failedAgain
        .filter((one) => !isExhausted(one))
        .map((one) => rescheduled(one.delivery, countedOf(one), waitAfter(one))),
      ...withRetry(unfinished).map((delivery) => rescheduled(delivery, notAttempted, unfinishedSeconds)),
    ],
    removed: [...missing, ...idsOf(retried.filter(({ result }) => result.isSuccess))],
    exhausted: idsOf(failedAgain.filter(isExhausted)),
  };
}

const recordedHealth = (
  next: NextHealth,
  noticeCount: number,
  disabledReason: DisabledReason | null,
): RecordedBatch['health'] => ({
  failure_count: next.failureCount,
  failing_since: next.failingSince,
  next_probe_seconds: disabledReason === null ? (next.nextProbeSeconds ?? null) : null,
  probe_count: next.probeCount,
  notice_count: noticeCount,
});

/**
 * Decides what follows from the attempts of a batch. Successes of first attempts share a row.
 *
 * @param isProbe whether this is a probe; if its new event fails, the position stays before the
 *   event
 * @param isOutdated whether nothing was read because the settings have changed
 * @param missing ids of events whose retries end without an attempt
 * @param lastSuccessAt the start of the session's last successful attempt
 */
export function recordedBatch(
  endpoint: ClaimedEndpoint,
  outcome: BatchOutcome,
  {
    isProbe,
    position,
    missing,
    hasMore,
    hasLate,
    isOutdated,
    lastSuccessAt,
  }: {
    isProbe: boolean;
    position: number;
    missing: string[];
    hasMore: boolean;
    hasLate: boolean;
    isOutdated: boolean;
    lastSuccessAt: number;
  },
): RecordedBatch {
  const { attempted } = outcome;
  const succeeded = attempted.filter(({ result }) => result.isSuccess);
  const failed = attempted.filter(({ result }) => !result.isSuccess);
  const hasSuccess = succeeded.length > 0;
  const failures = countFailures(attempted, lastSuccessAt);
  const isEmptyProbe = isProbe && attempted.length === 0;
  const health = isEmptyProbe
    ? healthWithoutAttempt(endpoint, position > endpoint.position || missing.length > 0)
    : nextHealth(endpoint, hasSuccess, failures.inRow);
  const isStopped = health.nextProbeSeconds !== undefined;
  const isExhausted = (one: Attempted): boolean => !isStopped && failures.isExhausted(one);
  const hasFailedTooLong =
    failed.length > 0 && isStopped && endpoint.failingForSeconds >= disablesAfterSeconds;
  const disabledReason = failed.some(({ result }) => isGone(result))
    ? 'gone'
    : hasFailedTooLong
      ? 'failing'
      : null;
  // While deliveries are stopped, only a probe shows whether the outage is over.
  const isWaiting = endpoint.nextProbeAt !== null && !isProbe;
  // A probe whose settings have changed before its attempt is still due.
  const hasHealth =
    !(isEmptyProbe && isOutdated) &&
    (isProbe || disabledReason !== null || (attempted.length > 0 && !isWaiting));
  const { notices, noticeCount } = isEmptyProbe
    ? { notices: [], noticeCount: endpoint.noticeCount }
    : healthNotices(endpoint, health, hasSuccess, disabledReason);
  return {
    settings: endpoint.settings,
    url: endpoint.url,
    failures_before: endpoint.failureCount,
    has_late: hasLate,
    position,
    has_success: hasSuccess,
    // Continue the session while attempts are late, so that their results are recorded.
    continues: hasLate || (hasMore && !isStopped && !isWaiting),
    disabled_reason: disabledReason,
    health: hasHealth ? recordedHealth(health, noticeCount, disabledReason) : null,
    health_notices: hasHealth ? notices : [],
    exhausted_notices: exhaustedNotices(endpoint.endpointId, failed.filter(isExhausted)),
    ends_failures: hasHealth && hasSuccess && endpoint.failureCount > 0,
    ends_outage: hasHealth && hasSuccess && isOutage(endpoint),
    ...logOfBatch(attempted, isExhausted),
    ...retriesAfter(outcome, missing, isProbe, failures.countedOf, isExhausted),
  };
}
