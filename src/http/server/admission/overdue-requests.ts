import { type ClassQueue, type ClassQueues, waitingIn } from './class-queues';
import type { Flow, Queueable } from './fair-queue';
import { isStanding } from './standing-queue';

/** How often overdue requests are looked for and rejected. */
const intervalMs = 4;
/**
 * A rejection costs almost half as much as a read, and makes its client send the next request. A
 * client that waits for its rejection sends nothing, so rejections are paced.
 */
const rejectionsPerMs = 1;
const mostPerInterval = 16;
/** The longest queue of rejections is sent within about this time. */
const mostPaceMs = 600;
/**
 * A flow with fewer waiting requests has no standing queue: some clients simply use a few
 * connections.
 */
const fewWaiting = 32;

export interface Waiting extends Queueable {
  /** When the request began to wait, in milliseconds of the admission's clock. */
  since: number;
  /** The client has left: the request needs no rejection. */
  readonly isClosed: boolean;
}

/**
 * Takes requests that have waited too long out of the queues and rejects them at a limited rate.
 * They do not start any more, so the requests that start have waited only for a short time.
 */
export interface OverdueRequests<T extends Waiting> {
  /** Checks soon, if any request waits. */
  schedule: () => void;
  /** Sheds one request of a full class: an overdue one, or the oldest one of the longest flow. */
  shedOne: (own: ClassQueue<T>) => void;
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

  function check(): void {
    isScheduled = false;
    const now = nowMs();
    for (const own of queues.all) {
      own.overdue = own.overdue.filter(({ isClosed }) => !isClosed);
      for (const flow of own.queue.flows.values()) collectOverdue(own, flow, now);
      for (const request of own.overdue.splice(0, mostToShed(own, now - scheduledAt))) shed(request);
    }
    schedule();
  }

  return {
    schedule,
    shedOne(own) {
      const longest = own.overdue.length > 0 ? undefined : own.queue.longest();
      const request = longest ? own.queue.takeOldest(longest) : own.overdue.shift();
      if (request) shed(request);
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

/** The rate follows the longest queue since it was empty, because it must not fall as it drains. */
function mostToShed<T extends Waiting>(own: ClassQueue<T>, passedMs: number): number {
  const { length } = own.overdue;
  own.rejectionsPerMs = length === 0 ? 0 : Math.max(own.rejectionsPerMs, length / mostPaceMs);
  const least = Math.min(mostPerInterval, passedMs * rejectionsPerMs);
  return Math.ceil(Math.max(least, passedMs * own.rejectionsPerMs));
}

function longestWaitMs<T extends Waiting>({ limits }: ClassQueue<T>, flow: Flow<T>, now: number): number {
  const { history, waiting } = flow;
  if (!history || waiting.size <= fewWaiting) return limits.burstWaitMs;
  return isStanding(history, limits.standingAfterMs, now) ? limits.standingWaitMs : limits.burstWaitMs;
}
