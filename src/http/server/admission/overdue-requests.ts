import type { ClassQueue, ClassQueues } from './class-queues';
import type { Flow, Queueable } from './fair-queue';
import { isStanding } from './standing-queue';

/** How often overdue requests are shed. */
const intervalMs = 4;
/**
 * With fewer waiting requests than this, all overdue ones are shed soon, which keeps the queue
 * short and cheap. With more, the rate is limited: rejections take time from the requests that are
 * served, and each one makes its client send the next request.
 */
const manyWaiting = 500;
const shedPerMs = { few: 16, many: 3 };
const mostShedPerInterval = { few: 128, many: 32 };
/** No rejection waits for more intervals than this. */
const mostIntervals = 100;
/**
 * A flow with fewer waiting requests has no standing queue: some clients simply use a few
 * connections.
 */
const fewWaiting = 32;

export interface Waiting extends Queueable {
  /** When the request began to wait, in milliseconds of the admission's clock. */
  since: number;
}

/** Sheds requests that have waited too long. */
export interface OverdueRequests<T extends Waiting> {
  /** Checks soon, if any request waits. */
  schedule: () => void;
  shedOldest: (own: ClassQueue<T>, flow: Flow<T>) => void;
}

export function createOverdueRequests<T extends Waiting>(settings: {
  queues: ClassQueues<T>;
  shed: (request: T) => void;
  nowMs: () => number;
}): OverdueRequests<T> {
  const { queues, shed, nowMs } = settings;
  let isScheduled = false;
  let scheduledAt = 0;

  function schedule(): void {
    if (isScheduled || !queues.all.some(({ queue }) => queue.waiting > 0)) return;
    isScheduled = true;
    scheduledAt = nowMs();
    setTimeout(shedOverdue, intervalMs);
  }

  function shedOverdue(): void {
    isScheduled = false;
    const now = nowMs();
    for (const own of queues.all) {
      let left = mostToShed(own.queue.waiting, now - scheduledAt);
      for (const flow of own.queue.flows.values()) {
        left -= shedOverdueOf(own, flow, now, left);
        if (left === 0) break;
      }
    }
    schedule();
  }

  /** @returns the number of shed requests */
  function shedOverdueOf(own: ClassQueue<T>, flow: Flow<T>, now: number, most: number): number {
    const waitMs = longestWaitMs(own, flow, now);
    let count = 0;
    for (const request of flow.waiting) {
      if (count === most || now - request.since <= waitMs) break;
      shedOldest(own, flow);
      count += 1;
    }
    return count;
  }

  function shedOldest(own: ClassQueue<T>, flow: Flow<T>): void {
    const request = own.queue.takeOldest(flow);
    if (request) shed(request);
  }

  return { schedule, shedOldest };
}

function mostToShed(waiting: number, passedMs: number): number {
  const load = waiting < manyWaiting ? 'few' : 'many';
  const allowed = Math.min(mostShedPerInterval[load], passedMs * shedPerMs[load]);
  return Math.ceil(Math.max(allowed, waiting / mostIntervals));
}

function longestWaitMs<T extends Waiting>({ limits }: ClassQueue<T>, flow: Flow<T>, now: number): number {
  const { history, waiting } = flow;
  if (!history || waiting.size <= fewWaiting) return limits.burstWaitMs;
  return isStanding(history, limits.standingAfterMs, now) ? limits.standingWaitMs : limits.burstWaitMs;
}
