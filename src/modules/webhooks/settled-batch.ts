import { v7 as uuidv7 } from 'uuid';

import type { AttemptKind, AttemptOutcome } from './attempt-kind.field';
import { subjectOf } from '../events/feed-event';
import type { Attempted, ClaimedEndpoint, Delivery, HeldBack } from './delivery';
import { exhaustedNotices, healthNotices, type Notice } from './endpoint-notices';
import {
  disablesAfterSeconds,
  isOutage,
  mostAttempts,
  nextHealth,
  type NextHealth,
  retryWaitSeconds,
} from './retry-schedule';
import type { SendFailure } from './send-failure.field';
import type { BatchOutcome } from './ordered-deliveries';
import type { SendResult } from './sender';
import type { DisabledReason } from './webhook-status.field';

/** A row of the log of attempts. */
export interface LoggedAttempt {
  attempt_id: string;
  event_id: string;
  kind: AttemptKind;
  attempt: number;
  outcome: AttemptOutcome;
  failure: SendFailure | null;
  status: number | null;
  duration_ms: number;
  response: string | null;
}

/** What the log says about a response, or about its absence. */
export const loggedResult = ({ failure, status, durationMs, response }: SendResult) => ({
  failure: failure ?? null,
  status: status ?? null,
  duration_ms: durationMs,
  response: response ?? null,
});

/** What the function `settle_webhook_batch` records, in its own names. */
export interface SettledBatch {
  settings: string;
  position: number;
  has_success: boolean;
  continues: boolean;
  disabled_reason: DisabledReason | null;
  /** Null without an attempt. */
  health: {
    failure_count: number;
    failing_since: 'never' | 'before' | 'now';
    next_probe_seconds: number | null;
    probe_count: number;
    notice_count: number;
  } | null;
  /** Events about the endpoint. */
  health_notices: Notice[];
  exhausted_notices: Notice[];
  ends_failures: boolean;
  ends_outage: boolean;
  attempts: (LoggedAttempt & { ended_ms_ago: number })[];
  postponed: {
    event_id: string;
    sequence: number;
    transaction_id: string;
    attempts: number;
    wait_seconds: number;
  }[];
  rescheduled: { event_id: string; wait_seconds: number }[];
  removed: string[];
}

/** The receiver wants no more events. */
export const isGone = ({ status }: SendResult): boolean => status === 410;

const startOf = ({ endedAt, result }: Attempted): number => endedAt - result.durationMs;

/** When the last attempt that succeeded started. Older failures tell nothing about an outage. */
export const lastSuccessIn = (attempted: readonly Attempted[]): number =>
  Math.max(-Infinity, ...attempted.filter(({ result }) => result.isSuccess).map(startOf));

function logged({ delivery, result, endedAt }: Attempted, isExhausted: boolean) {
  return {
    attempt_id: uuidv7(),
    event_id: delivery.event.eventId,
    ended_ms_ago: Math.round(performance.now() - endedAt + result.durationMs),
    kind: delivery.kind,
    attempt: delivery.attempts + 1,
    outcome: result.isSuccess
      ? ('delivered' as const)
      : isExhausted
        ? ('exhausted' as const)
        : ('failed' as const),
    ...loggedResult(result),
  };
}

/** The copy of an event that a sandbox fault added. Nothing follows from its outcome. */
function loggedCopy({ delivery, result: { copy }, endedAt }: Attempted) {
  if (!copy) return [];
  return [
    {
      attempt_id: uuidv7(),
      event_id: delivery.event.eventId,
      ended_ms_ago: Math.round(performance.now() - endedAt + copy.durationMs),
      kind: 'fault' as const,
      attempt: 1,
      outcome: copy.isSuccess ? ('delivered' as const) : ('failed' as const),
      ...loggedResult(copy),
    },
  ];
}

/** A delivery that keeps no order is stored under its own id, so it blocks no other. */
const postponedByFault = ({ delivery, heldForMs, keepsOrder }: HeldBack & { delivery: Delivery }) => ({
  ...postponed(delivery, 0, heldForMs / 1_000),
  ...(!keepsOrder && { transaction_id: delivery.event.eventId }),
});

const withoutRetry = (deliveries: readonly Delivery[]): Delivery[] =>
  deliveries.filter(({ hasRetry }) => !hasRetry);

/** When another process attempts an unfinished delivery again, if this one dies. */
const unfinishedSeconds = 30;

const postponed = ({ event }: Delivery, attempts: number, waitSeconds: number) => ({
  event_id: event.eventId,
  sequence: event.sequence,
  transaction_id: subjectOf(event),
  attempts,
  wait_seconds: waitSeconds,
});

/** The seconds until the next attempt of each. Undefined after the last one. */
const waitsAfter = (failed: readonly Attempted[], attemptsAtMost: number) =>
  new Map(
    failed.map(({ delivery, result }) => [
      delivery,
      retryWaitSeconds(
        Math.min(delivery.attempts + 1, attemptsAtMost),
        result.retryAfterSeconds,
        Math.random(),
      ),
    ]),
  );

const recordedHealth = (
  next: NextHealth,
  noticeCount: number,
  disabledReason: DisabledReason | null,
): SettledBatch['health'] => ({
  failure_count: next.failureCount,
  failing_since: next.failingSince,
  next_probe_seconds: disabledReason === null ? (next.nextProbeSeconds ?? null) : null,
  probe_count: next.probeCount,
  notice_count: noticeCount,
});

/**
 * Decides what follows from the attempts of a batch. A batch in which every event succeeded at once
 * adds no row.
 *
 * @param isProbe the deliveries are stopped, so a failure of an event that was not postponed leaves
 *   the position before it
 * @param missing retries of events that the feed no longer keeps
 * @param lastSuccessAt when the last attempt of the session that succeeded started
 */
export function settledBatch(
  endpoint: ClaimedEndpoint,
  { attempted, held, blocked, unfinished }: BatchOutcome,
  {
    isProbe,
    position,
    missing,
    hasMore,
    lastSuccessAt,
  }: { isProbe: boolean; position: number; missing: string[]; hasMore: boolean; lastSuccessAt: number },
): SettledBatch {
  const succeeded = attempted.filter(({ result }) => result.isSuccess);
  const failed = attempted.filter(({ result }) => !result.isSuccess);
  const lastFailures = failed.filter((one) => startOf(one) >= lastSuccessAt);
  const health = nextHealth(endpoint, succeeded.length > 0, lastFailures.length);
  const isStopped = health.nextProbeSeconds !== undefined;
  // An outage uses up no event's last attempt.
  const waits = waitsAfter(failed, isStopped ? mostAttempts - 1 : mostAttempts);
  const isExhausted = ({ delivery, result }: Attempted): boolean =>
    !result.isSuccess && delivery.kind === 'retry' && waits.get(delivery) === undefined;
  const hadFailed = ({ delivery }: Attempted): boolean => delivery.kind === 'retry';
  const hasRetry = ({ delivery }: Attempted): boolean => delivery.hasRetry;
  const idOf = ({ delivery }: Attempted): string => delivery.event.eventId;
  const hasFailedTooLong =
    failed.length > 0 && isStopped && endpoint.failingForSeconds >= disablesAfterSeconds;
  const disabledReason = failed.some(({ result }) => isGone(result))
    ? 'gone'
    : hasFailedTooLong
      ? 'failing'
      : null;
  const hasHealth = attempted.length > 0 || isProbe;
  const { notices, noticeCount } = healthNotices(endpoint, health, disabledReason);
  return {
    settings: endpoint.settings,
    position,
    has_success: succeeded.length > 0,
    continues: hasMore && !isStopped,
    disabled_reason: disabledReason,
    health: hasHealth ? recordedHealth(health, noticeCount, disabledReason) : null,
    health_notices: hasHealth ? notices : [],
    exhausted_notices: exhaustedNotices(endpoint.endpointId, failed.filter(isExhausted)),
    ends_failures: succeeded.length > 0 && endpoint.failureCount > 0,
    ends_outage: succeeded.length > 0 && isOutage(endpoint),
    attempts: [
      ...attempted.flatMap(loggedCopy),
      ...attempted
        .filter((one) => !one.result.isSuccess || hadFailed(one))
        .map((one) => logged(one, isExhausted(one))),
    ],
    postponed: [
      ...failed
        .filter((one) => !hasRetry(one) && !isProbe)
        .map(({ delivery }) => postponed(delivery, 1, waits.get(delivery) ?? 0)),
      ...held.map(postponedByFault),
      ...withoutRetry(blocked).map((delivery) => postponed(delivery, 0, 0)),
      ...withoutRetry(unfinished).map((delivery) => postponed(delivery, 0, unfinishedSeconds)),
    ],
    rescheduled: failed
      .filter((one) => hasRetry(one) && !isExhausted(one))
      .map((one) => ({ event_id: idOf(one), wait_seconds: waits.get(one.delivery) ?? 0 })),
    removed: [
      ...missing,
      ...attempted.filter((one) => hasRetry(one) && (one.result.isSuccess || isExhausted(one))).map(idOf),
    ],
  };
}
