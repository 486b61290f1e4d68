import type { CourierStore } from './courier.store';
import type { Attempted, ClaimedEndpoint, Delivery, DeliveryBatch } from './delivery';
import { type BatchOutcome, deliverInOrder } from './ordered-deliveries';
import type { ProcessSlots } from './process-slots';
import type { Standing } from './shares';
import type { SendResult } from './sender';
import { type SettledBatch, settledBatch } from './settled-batch';
import { attemptingWithFaults, type FaultyDeliveries } from './webhook-faults';

export interface SessionDependencies extends FaultyDeliveries {
  store: CourierStore;
  slots: ProcessSlots;
  /** The endpoints that were slow when they were last served. */
  slow: Set<string>;
  /** Called for each recorded attempt. */
  onAttempt: (delivery: Delivery, result: SendResult, isExhausted: boolean) => void;
  isStopped: () => boolean;
  /** Whether other endpoints wait to be served. */
  isCrowded: () => boolean;
  /** The process has closed its connections to shut down. */
  isAborted: () => boolean;
}

const concurrencyOfEndpoint = 4;
const mostInBatch = 100;
const mostDueAtOnce = 20;
/** No attempt starts later in a batch. With the total timeout, the lease outlasts the batch. */
const startWithinMs = 10_000;
/** An endpoint that takes longer shares the slots of those that may be down. */
const slowMs = 2_000;

interface Plan extends DeliveryBatch {
  missing: string[];
}

/** What to attempt next. Retries come first, because they are older. */
async function planBatch(
  store: CourierStore,
  endpoint: ClaimedEndpoint,
  position: number,
  isProbe: boolean,
): Promise<Plan> {
  const none = { deliveries: [], endsAt: position, hasMore: false, missing: [] };
  if (endpoint.verifiedAt === null || (endpoint.nextProbeAt !== null && !isProbe)) return none;
  const due = endpoint.hasRetries
    ? await store.readDue(endpoint, isProbe ? 1 : mostDueAtOnce, isProbe)
    : { deliveries: [], missing: [], hasMore: false };
  // A probe takes a new event and a retry in turn, because one event may fail at every receiver.
  const prefersRetry = isProbe && endpoint.probeCount % 2 === 1 && due.deliveries.length > 0;
  if (prefersRetry) return { ...none, ...due, hasMore: true };
  const batch = await store.readBatch(endpoint, position, isProbe ? 1 : mostInBatch);
  const { missing } = due;
  if (!isProbe)
    return {
      deliveries: [...due.deliveries, ...batch.deliveries],
      endsAt: batch.endsAt,
      hasMore: batch.hasMore || due.hasMore,
      missing,
    };
  const isNew = batch.deliveries.length === 0 ? due.deliveries.length === 0 : !batch.deliveries[0]?.isBlocked;
  return isNew ? { ...batch, missing } : { ...none, ...due, hasMore: true };
}

/** The position after the deliveries that were attempted, blocked or postponed. */
function positionAfter(
  plan: Plan,
  { settled, attempted }: BatchOutcome,
  before: number,
  isProbe: boolean,
): number {
  const isFailedProbe =
    isProbe && attempted.some(({ delivery: { kind }, result }) => kind === 'first' && !result.isSuccess);
  if (isFailedProbe) return before;
  if (settled === plan.deliveries.length) return plan.endsAt;
  const next = plan.deliveries.slice(settled).find(({ kind }) => kind === 'first');
  return next ? Math.max(before, next.event.sequence - 1) : plan.endsAt;
}

/** The endpoint as the recorded batch leaves it. */
function endpointAfter(
  endpoint: ClaimedEndpoint,
  settled: SettledBatch,
  blockedCount: number,
): ClaimedEndpoint {
  const { health } = settled;
  return {
    ...endpoint,
    position: settled.position,
    failureCount: health?.failure_count ?? endpoint.failureCount,
    failingForSeconds: health && health.failing_since !== 'before' ? 0 : endpoint.failingForSeconds,
    probeCount: health?.probe_count ?? endpoint.probeCount,
    noticeCount: health?.notice_count ?? endpoint.noticeCount,
    nextProbeAt: null,
    isProbeDue: false,
    deliveredAt: settled.has_success ? new Date() : endpoint.deliveredAt,
    hasRetries: endpoint.hasRetries || settled.postponed.length > 0 || blockedCount > 0,
  };
}

const isSlow = (attempted: readonly Attempted[]): boolean =>
  attempted.some(({ result }) => result.durationMs > slowMs);
const allFailed = (attempted: readonly Attempted[]): boolean =>
  attempted.length > 0 && attempted.every(({ result }) => !result.isSuccess);

const standingOf = ({ failureCount, deliveredAt }: ClaimedEndpoint): Standing =>
  failureCount > 0 ? 'failing' : deliveredAt === null ? 'untried' : 'proven';

/**
 * Delivers what an endpoint has, as the holder of its lease, until nothing is left. HTTP calls run
 * outside transactions.
 */
export async function runSession(deps: SessionDependencies, claimed: ClaimedEndpoint): Promise<void> {
  const { store, slots, slow } = deps;
  const { environmentId, endpointId } = claimed;
  let endpoint = claimed;
  for (;;) {
    const startedAt = performance.now();
    const { position, isProbeDue: isProbe } = endpoint;
    const plan = await planBatch(store, endpoint, position, isProbe);
    const standing = standingOf(endpoint);
    const outcome = await deliverInOrder(plan.deliveries, {
      attempt: attemptingWithFaults(deps, endpoint, isProbe),
      takeSlot: (attempted) =>
        slots.take(slow.has(endpointId) || isSlow(attempted) ? 'failing' : standing, environmentId),
      concurrency: (hasSucceeded) => (standing !== 'proven' && !hasSucceeded ? 1 : concurrencyOfEndpoint),
      isOver: (attempted) =>
        deps.isStopped() ||
        performance.now() - startedAt > startWithinMs ||
        // An endpoint that may be down costs one attempt at a time.
        (standing !== 'proven' && allFailed(attempted)),
      isAborted: deps.isAborted,
    });
    if (isProbe && outcome.blocked.length > 0 && deps.isAborted()) {
      // The next process probes again.
      await store.release(endpoint);
      return;
    }
    if (isSlow(outcome.attempted)) slow.add(endpointId);
    else if (outcome.attempted.length > 0) slow.delete(endpointId);
    const mayContinue = !deps.isStopped() && !deps.isCrowded() && !allFailed(outcome.attempted);
    const batch = settledBatch(endpoint, outcome, {
      isProbe,
      position: positionAfter(plan, outcome, position, isProbe),
      missing: plan.missing,
      hasMore: mayContinue && (plan.hasMore || outcome.settled < plan.deliveries.length),
    });
    const continues = await store.settle(endpoint, batch);
    const exhausted = new Set(
      batch.attempts.filter((one) => one.outcome === 'exhausted').map((one) => one.event_id),
    );
    for (const { delivery, result } of outcome.attempted)
      deps.onAttempt(delivery, result, exhausted.has(delivery.event.eventId));
    if (!continues) return;
    endpoint = endpointAfter(endpoint, batch, outcome.blocked.length);
  }
}
