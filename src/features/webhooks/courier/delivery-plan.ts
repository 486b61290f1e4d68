import { setTimeout as delay } from 'node:timers/promises';

import type { CourierStore } from './courier.store';
import type { ClaimedEndpoint, Delivery, DeliveryBatch, DueRetries } from './delivery';
import type { LateAttempts } from '../attempts/late-attempts';
import type { BatchOutcome, DeliveryOptions } from './ordered-deliveries';
import type { ReadAhead } from './read-ahead';

const mostInBatch = 100;
/** The maximum size of a batch, which grows while some of its deliveries are slow. */
const mostInWindow = 1_000;
const mostDueAtOnce = 20;
/** A batch that takes longer than this grows. Most batches end sooner. */
const growsAfterMs = 100;
/** The wait before the next read, after a read that found no more events. */
const idleReadMs = 250;

export interface Plan extends DeliveryBatch {
  /** The retries to attempt concurrently with the deliveries. */
  retries: Delivery[];
  /** Ids of events whose retries end without an attempt: see `is_missing` in `courier.store.ts`. */
  missing: string[];
  /** Whether more retries are due. */
  hasMoreDue: boolean;
}

/** The due retries, except those whose attempts are in progress. */
async function readDue(
  store: CourierStore,
  endpoint: ClaimedEndpoint,
  late: LateAttempts,
  isProbe: boolean,
): Promise<DueRetries> {
  if (!endpoint.hasRetries) return { deliveries: [], missing: [], hasMore: false };
  const due = await store.readDue(endpoint, mostDueAtOnce, isProbe);
  const deliveries = due.deliveries.filter(({ event }) => !late.includes(event.eventId));
  return { ...due, deliveries: isProbe ? deliveries.slice(0, 1) : deliveries };
}

/** Plans the next batch of attempts. */
export async function planBatch(
  store: CourierStore,
  endpoint: ClaimedEndpoint,
  position: number,
  isProbe: boolean,
  late: LateAttempts,
): Promise<Plan> {
  const nothing = { deliveries: [], endsAt: position, hasMore: false, isOutdated: false };
  const none = { ...nothing, retries: [], missing: [], hasMoreDue: false };
  if (endpoint.verifiedAt === null || (endpoint.nextProbeAt !== null && !isProbe)) return none;
  const { deliveries: retries, missing, hasMore } = await readDue(store, endpoint, late, isProbe);
  const onlyRetries = { ...none, retries, missing, hasMore: true };
  // Probes take a new event and a retry in turn, because one event may fail at every receiver.
  if (isProbe && endpoint.probeCount % 2 === 1 && retries.length > 0) return onlyRetries;
  const batch = await store.readBatch(endpoint, position, isProbe ? 1 : mostInBatch);
  if (batch.isOutdated) return { ...none, isOutdated: true };
  if (!isProbe) return { ...batch, retries, missing, hasMore: batch.hasMore || hasMore, hasMoreDue: hasMore };
  const isNew = batch.deliveries.length === 0 ? retries.length === 0 : !batch.deliveries[0]?.isBlocked;
  return isNew ? { ...batch, retries: [], missing, hasMoreDue: false } : onlyRetries;
}

/** The position of the endpoint after all deliveries that were attempted, blocked or postponed. */
export function positionAfter(
  plan: Plan,
  { handled, attempted }: BatchOutcome,
  before: number,
  isProbe: boolean,
): number {
  const isFailedProbe =
    isProbe && attempted.some(({ delivery: { kind }, result }) => kind === 'first' && !result.isSuccess);
  if (isFailedProbe) return before;
  const next = plan.deliveries[handled];
  return next ? Math.max(before, next.event.sequence - 1) : plan.endsAt;
}

/** Lets a batch grow. */
export interface Growth {
  readMore: NonNullable<DeliveryOptions['readMore']>;
  /** Call it when the deliveries have ended. */
  end: () => void;
}

/**
 * Adds the next events of the feed to a plan while some of its deliveries are slow. A slow response
 * thus delays only the events of its contribution.
 *
 * @param mayGrow is called before each read
 */
export function createGrowth(
  store: Pick<CourierStore, 'readBatch'>,
  endpoint: ClaimedEndpoint,
  plan: Plan,
  readAhead: ReadAhead,
  mayGrow: () => boolean,
): Growth {
  const { environmentId } = endpoint;
  let taken = 0;
  let hasEnded = false;
  let waitMs = growsAfterMs;

  async function read(): Promise<Delivery[]> {
    const batch = await store.readBatch(endpoint, plan.endsAt, mostInBatch);
    // The batch ended during the read. These events are read again later.
    if (hasEnded) return [];
    if (batch.isOutdated) {
      plan.isOutdated = true;
      return [];
    }
    plan.endsAt = batch.endsAt;
    plan.deliveries.push(...batch.deliveries);
    plan.hasMore = batch.hasMore || plan.hasMoreDue;
    waitMs = batch.hasMore ? 0 : idleReadMs;
    return batch.deliveries;
  }

  return {
    async readMore(ended) {
      const areDone = ended.then(() => true);
      const mayRead = (): boolean => !hasEnded && !plan.isOutdated && mayGrow();
      while (mayRead() && plan.deliveries.length + mostInBatch <= mostInWindow) {
        if (await Promise.race([areDone, delay(waitMs, false, { ref: false })])) break;
        if (!mayRead() || !readAhead.take(environmentId, mostInBatch)) break;
        taken += mostInBatch;
        const deliveries = await read();
        if (hasEnded || deliveries.length > 0) return deliveries;
        readAhead.free(environmentId, mostInBatch);
        taken -= mostInBatch;
      }
      return [];
    },
    end() {
      hasEnded = true;
      readAhead.free(environmentId, taken);
    },
  };
}
