import { subjectOf } from '../events/feed-event';
import type { Attempted, AttemptResult, Delivery, HeldBack } from './delivery';

export interface BatchOutcome {
  attempted: Attempted[];
  held: (HeldBack & { delivery: Delivery })[];
  /** Deliveries that wait behind a failed one of the same contribution, or that were aborted. */
  blocked: Delivery[];
  /** The number of deliveries, from the start, that were attempted, held back or blocked. */
  settled: number;
}

export interface DeliveryOptions {
  attempt: (delivery: Delivery) => Promise<AttemptResult | HeldBack>;
  /** Waits for one of the slots of the process. Its result frees the slot. */
  takeSlot: (attempted: readonly Attempted[]) => Promise<() => void>;
  /** How many to attempt at a time, given whether one has succeeded. */
  concurrency: (hasSucceeded: boolean) => number;
  /** Whether to start no more. */
  isOver: (attempted: readonly Attempted[]) => boolean;
  /** Whether this process has closed its connections, so that a failure is not the receiver's. */
  isAborted: () => boolean;
}

/**
 * Attempts deliveries in their order, several at a time. A delivery starts after the ones before it
 * have started, and after an earlier one of the same subject has ended.
 */
export async function deliverInOrder(
  deliveries: readonly Delivery[],
  { attempt, takeSlot, concurrency, isOver, isAborted }: DeliveryOptions,
): Promise<BatchOutcome> {
  const running = new Map<string, Promise<void>>();
  const failed = new Set<string>();
  const attempted: Attempted[] = [];
  const held: BatchOutcome['held'] = [];
  const blocked: Delivery[] = [];
  let hasSucceeded = false;
  let settled = 0;

  async function run(delivery: Delivery, key: string, freeSlot: () => void): Promise<void> {
    const result = await attempt(delivery).finally(freeSlot);
    running.delete(key);
    if ('heldForMs' in result) {
      held.push({ delivery, ...result });
      if (result.keepsOrder) failed.add(key);
      return;
    }
    if (!result.isSuccess && isAborted()) blocked.push(delivery);
    else attempted.push({ delivery, result, endedAt: performance.now() });
    if (result.isSuccess) hasSucceeded = true;
    else failed.add(key);
  }

  try {
    for (const delivery of deliveries) {
      const key = subjectOf(delivery.event);
      await running.get(key);
      while (running.size >= concurrency(hasSucceeded)) await Promise.race(running.values());
      const isBlocked = delivery.isBlocked || failed.has(key);
      const freeSlot = isBlocked ? () => undefined : await takeSlot(attempted);
      // The wait for a slot can be long.
      if (isOver(attempted)) {
        freeSlot();
        break;
      }
      settled += 1;
      if (isBlocked) {
        blocked.push(delivery);
        continue;
      }
      const attempting = run(delivery, key, freeSlot);
      // An attempt that could not be made ends the batch below.
      attempting.catch(() => undefined);
      running.set(key, attempting);
    }
    await Promise.all(running.values());
  } finally {
    await Promise.allSettled(running.values());
  }
  return { attempted, held, blocked, settled };
}
