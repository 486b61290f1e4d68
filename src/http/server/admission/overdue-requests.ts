import { contained } from '../../../shared/contained';
import { type ClassQueue, type ClassQueues, waitingIn } from './class-queues';
import type { Flow, Queueable } from './fair-queue';
import { isStanding } from './standing-queue';

/** How often to look for overdue requests and reject them. */
const intervalMs = 4;
/**
 * A rejection costs almost half as much as a read, and its client then sends the next request. A
 * client that waits for its rejection sends nothing, so rejections are paced.
 */
const rejectionsPerMs = 1;
const mostPerInterval = 16;
/**
 * A flow with fewer waiting requests has no standing queue: some clients simply use a few
 * connections.
 */
const fewWaiting = 32;
/** The newest overdue requests of a class, among which `take` finds one that can start. */
const mostSearched = 64;

export interface Waiting extends Queueable {
  /** When the request began to wait, in milliseconds of the admission's clock. */
  since: number;
  /** Whether the client has disconnected, so that the request needs no rejection. */
  readonly isClosed: boolean;
}

/**
 * Takes requests that have waited too long out of the queues and rejects them at a limited rate.
 * Until its rejection, such a request starts only while no other request can. Under overload, the
 * requests that start have therefore waited only for a short time.
 */
export interface OverdueRequests<T extends Waiting> {
  /** Checks soon, if any request waits. */
  schedule: () => void;
  /** Sheds one request of a full class: an overdue one, or the oldest one of the longest flow. */
  shedOne: (own: ClassQueue<T>) => void;
  isEmpty: () => boolean;
  /**
   * Removes and returns an overdue request for a slot that no other request needs, and counts it as
   * in progress. The newest is first, because the client of an older one may no longer wait.
   */
  take: () => T | undefined;
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
    if (isScheduled || !queues.all.some((own) => waitingIn(own) > 0)) return;
    isScheduled = true;
    scheduledAt = nowMs();
    setTimeout(check, intervalMs);
  }

  const check = contained(() => {
    isScheduled = false;
    const now = nowMs();
    for (const own of queues.all) {
      own.overdue = own.overdue.filter(({ isClosed }) => !isClosed);
      for (const flow of own.queue.flows.values()) collectOverdue(own, flow, now);
      const perMs = own.overdueRate.update(own.overdue.length, now);
      for (const request of own.overdue.splice(0, mostToShed(perMs, now - scheduledAt))) shed(request);
    }
    schedule();
  }, schedule);

  return {
    schedule,
    shedOne(own) {
      const longest = own.overdue.length > 0 ? undefined : own.queue.longest();
      const request = longest ? own.queue.takeOldest(longest) : own.overdue.shift();
      if (request) shed(request);
    },
    isEmpty() {
      for (const { overdue } of queues.all) if (overdue.length > 0) return false;
      return true;
    },
    take() {
      for (const own of queues.all) {
        if (own.overdue.length === 0 || !queues.hasFreeSlot(own)) continue;
        const newest = own.overdue.slice(-mostSearched);
        const request = newest.findLast((one) => !one.isClosed && own.queue.hasFreeSlots(one));
        if (!request) continue;
        own.overdue.splice(own.overdue.lastIndexOf(request), 1);
        own.queue.begin(request);
        return request;
      }
      return undefined;
    },
  };
}

function collectOverdue<T extends Waiting>(own: ClassQueue<T>, flow: Flow<T>, now: number): void {
  const waitMs = longestWaitMs(own, flow, now);
  for (const request of flow.waiting) {
    if (now - request.since <= waitMs) break;
    const taken = own.queue.takeOldest(flow);
    if (taken) own.overdue.push(taken);
  }
}

function mostToShed(perMs: number, passedMs: number): number {
  const least = Math.min(mostPerInterval, passedMs * rejectionsPerMs);
  return Math.ceil(Math.max(least, passedMs * perMs));
}

function longestWaitMs<T extends Waiting>({ limits }: ClassQueue<T>, flow: Flow<T>, now: number): number {
  const { history, waiting } = flow;
  if (!history || waiting.size <= fewWaiting) return limits.burstWaitMs;
  return isStanding(history, limits.standingAfterMs, now) ? limits.standingWaitMs : limits.burstWaitMs;
}
