import { setTimeout as delay } from 'node:timers/promises';

import { type AttemptsInProgress, createAttemptsInProgress } from '../attempts/attempts-in-progress';
import type { CourierStore } from './courier.store';
import type { Attempted, ClaimedEndpoint, Delivery } from './delivery';
import { lastSuccessIn } from './failed-attempts';
import { createLateAttempts, type LateAttempts } from '../attempts/late-attempts';
import { type BatchOutcome, deliverInOrder } from './ordered-deliveries';
import { createPermits, type Permits } from '../requests/permits';
import type { ProcessSlots } from './process-slots';
import { createGrowth, type Plan, planBatch, positionAfter } from './delivery-plan';
import type { ReadAhead } from './read-ahead';
import type { Reliability } from './shares';
import { failuresOfOutage } from './retry-schedule';
import type { SendResult } from '../sending/sender';
import { isGone, type RecordedBatch, recordedBatch } from './recorded-batch';
import { attemptingWithFaults, type FaultyDeliveries } from './webhook-faults';

export interface SessionDependencies extends FaultyDeliveries {
  store: CourierStore;
  slots: ProcessSlots;
  /** The endpoints that were slow when they were last served. */
  slow: Set<string>;
  /** Limits the events that growing batches read. */
  readAhead: ReadAhead;
  /** Called for each recorded attempt. */
  onAttempt: (delivery: Delivery, result: SendResult, isExhausted: boolean) => void;
  isStopped: () => boolean;
  /** Whether other endpoints wait to be served. */
  isCrowded: () => boolean;
  /** Whether the process has closed its connections to shut down. */
  isAborted: () => boolean;
}

const concurrencyOfEndpoint = 4;
/** The concurrency of retries, in addition to that of new events. */
const concurrencyOfRetries = 2;
/** The number of late attempts that free their permits, so that other attempts can start. */
const mostLate = 4;
/**
 * After this time, a batch that has started an attempt ends. Attempts that are still in progress
 * are late: a later batch records their results. A receiver that never responds thus delays no
 * other event, and changed settings apply soon.
 */
const batchMs = 2_000;
/** A batch starts no attempt after this time. */
const startWithinMs = 10_000;
/** The time limit of a batch that must wait for its attempts. The lease lasts 30 seconds. */
const longestBatchMs = 25_000;
/** An endpoint with a slower response counts as `failing` when slots are divided. */
const slowMs = 2_000;

const nextProbeOf = (seconds: number | null): Date | null =>
  seconds === null ? null : new Date(Date.now() + seconds * 1_000);

/** The state of the endpoint after the batch was recorded. */
function endpointAfter(
  endpoint: ClaimedEndpoint,
  recorded: RecordedBatch,
  blockedCount: number,
): ClaimedEndpoint {
  const { health } = recorded;
  return {
    ...endpoint,
    position: recorded.position,
    failureCount: health?.failure_count ?? endpoint.failureCount,
    failingForSeconds: health && health.failing_since !== 'before' ? 0 : endpoint.failingForSeconds,
    probeCount: health?.probe_count ?? endpoint.probeCount,
    noticeCount: health?.notice_count ?? endpoint.noticeCount,
    nextProbeAt: health ? nextProbeOf(health.next_probe_seconds) : endpoint.nextProbeAt,
    isProbeDue: false,
    deliveredAt: recorded.has_success ? new Date() : endpoint.deliveredAt,
    hasRetries: endpoint.hasRetries || recorded.postponed.length > 0 || blockedCount > 0,
  };
}

const isSlow = (attempted: readonly Attempted[]): boolean =>
  attempted.some(({ result }) => result.durationMs > slowMs);
const allFailed = (attempted: readonly Attempted[]): boolean =>
  attempted.length > 0 && attempted.every(({ result }) => !result.isSuccess);

const reliabilityOf = ({ failureCount, deliveredAt }: ClaimedEndpoint): Reliability =>
  failureCount > 0 ? 'failing' : deliveredAt === null ? 'untried' : 'proven';

/** The state that the batches of a session share. */
interface Session {
  permits: Permits;
  retryPermits: Permits;
  late: LateAttempts;
  /** All attempts in progress. */
  attempts: AttemptsInProgress;
  /** Whether an attempt of the batch has succeeded. */
  hasSucceeded: boolean;
  /** Whether the receiver has responded that it wants no more events. */
  isGone: boolean;
  /** The start of the last successful attempt, in milliseconds of `performance.now()`. */
  lastSuccessAt: number;
}

/** Attempts a batch, which grows while some of its deliveries are slow. */
async function deliverBatch(
  deps: SessionDependencies,
  session: Session,
  endpoint: ClaimedEndpoint,
  plan: Plan,
): Promise<BatchOutcome> {
  const { store, slots, slow, readAhead } = deps;
  const { environmentId, endpointId, isProbeDue: isProbe } = endpoint;
  const startedAt = performance.now();
  const reliability = reliabilityOf(endpoint);
  const elapsedMs = (): number => performance.now() - startedAt;
  let failuresInRow = 0;
  let isDown = false;
  function onResult(result: SendResult): void {
    failuresInRow = result.isSuccess ? 0 : failuresInRow + 1;
    if (result.isSuccess) session.hasSucceeded = true;
    if (isGone(result)) session.isGone = true;
    if (failuresInRow >= failuresOfOutage) isDown = true;
  }
  const isRefused = (): boolean => deps.isStopped() || plan.isOutdated || isDown || session.isGone;
  const isOver = (hasStarted: boolean): boolean =>
    isRefused() || elapsedMs() > (hasStarted ? batchMs : startWithinMs);
  // An endpoint gets one event at a time until its first success, and while it is probed.
  const mayGoOn = !isProbe && reliability !== 'untried';
  const mayGrow = (): boolean =>
    mayGoOn && endpoint.nextProbeAt === null && !deps.isCrowded() && !isOver(true);
  const { readMore, end } = createGrowth(store, endpoint, plan, readAhead, mayGrow);
  const outcome = await deliverInOrder(plan.deliveries.slice(), {
    attempt: session.attempts.including(attemptingWithFaults(deps, endpoint, isProbe)),
    takeSlot: (attempted) =>
      slots.take(slow.has(endpointId) || isSlow(attempted) ? 'failing' : reliability, environmentId),
    retries: plan.retries,
    permitsFor: (kind) => (kind === 'retry' && mayGoOn ? session.retryPermits : session.permits),
    onResult,
    // An endpoint that may be down gets only one attempt at a time.
    isOver: (attempted, hasStarted) =>
      isOver(hasStarted) || (reliability !== 'proven' && allFailed(attempted)),
    isAborted: deps.isAborted,
    readMore,
    late: session.late,
    waitForEnd: (ended) => {
      const endsAtMs = mayGoOn && !deps.isStopped() && !deps.isCrowded() ? batchMs : longestBatchMs;
      return Promise.race([ended, delay(Math.max(0, endsAtMs - elapsedMs()), undefined, { ref: false })]);
    },
  }).finally(end);
  return { ...outcome, attempted: [...outcome.attempted, ...session.late.take()] };
}

/**
 * Delivers the events of an endpoint until none is left. The caller holds the endpoint's lease.
 * HTTP calls run outside transactions.
 *
 * @throws if the database fails, after all attempts have ended
 */
export async function runSession(deps: SessionDependencies, claimed: ClaimedEndpoint): Promise<void> {
  const attempts = createAttemptsInProgress();
  try {
    await deliverBatches(deps, claimed, attempts);
  } catch (error) {
    await attempts.ended();
    throw error;
  }
}

async function deliverBatches(
  deps: SessionDependencies,
  claimed: ClaimedEndpoint,
  attempts: AttemptsInProgress,
): Promise<void> {
  const { store, slow } = deps;
  const { endpointId } = claimed;
  let endpoint = claimed;
  const isProven = (): boolean => reliabilityOf(endpoint) === 'proven' || session.hasSucceeded;
  const late = createLateAttempts(
    () => (isProven() ? mostLate : 0),
    (result) => {
      if (isGone(result)) session.isGone = true;
    },
  );
  const session: Session = {
    permits: createPermits(() => (isProven() ? concurrencyOfEndpoint : 1)),
    retryPermits: createPermits(() => (isProven() ? concurrencyOfRetries : 1)),
    late,
    attempts,
    hasSucceeded: false,
    isGone: false,
    lastSuccessAt: -Infinity,
  };
  for (;;) {
    const { position, isProbeDue: isProbe } = endpoint;
    session.hasSucceeded = false;
    const plan = await planBatch(store, endpoint, position, isProbe, late);
    const outcome = await deliverBatch(deps, session, endpoint, plan);
    if (isProbe && outcome.blocked.length > 0 && deps.isAborted()) {
      // The probe was aborted. The next process probes again.
      await store.release(endpoint);
      return;
    }
    if (isSlow(outcome.attempted)) slow.add(endpointId);
    else if (outcome.attempted.length > 0) slow.delete(endpointId);
    const mayContinue = !deps.isStopped() && !deps.isCrowded() && !allFailed(outcome.attempted);
    session.lastSuccessAt = Math.max(session.lastSuccessAt, lastSuccessIn(outcome.attempted));
    const batch = recordedBatch(endpoint, outcome, {
      isProbe,
      lastSuccessAt: session.lastSuccessAt,
      position: positionAfter(plan, outcome, position, isProbe),
      missing: plan.missing,
      hasMore: mayContinue && (plan.hasMore || !outcome.isComplete),
      hasLate: late.hasAny(),
      isOutdated: plan.isOutdated,
    });
    const continues = await store.record(endpoint, batch);
    for (const delivery of outcome.unfinished) delivery.hasRetry = true;
    const exhausted = new Set(
      batch.attempts.filter((one) => one.outcome === 'exhausted').map((one) => one.event_id),
    );
    for (const { delivery, result } of outcome.attempted)
      deps.onAttempt(delivery, result, exhausted.has(delivery.event.eventId));
    if (!continues) return;
    endpoint = endpointAfter(endpoint, batch, outcome.blocked.length);
  }
}
