import type { Rejection } from '../../../shared/errors';
import { FairQueue, type Queueable } from './fair-queue';

export interface PacedRejections<T> {
  add: (request: T, rejection: Rejection) => void;
}

const intervalMs = 4;
const mostPerInterval = 8;
/** When many wait, more are sent: none waits for more intervals than this. */
const intervalsAtMost = 100;
const mostWaiting = 4_096;

/**
 * Sends rejections that cost nothing to decide: 401, 403 and 429. A client that repeats rejected
 * requests as fast as it is answered would otherwise set the pace, and most of the cost of a flood
 * is writing responses. Clients take turns, so that nobody's rejection waits behind a flood of
 * others.
 */
export function createPacedRejections<T extends Queueable>(settings: {
  send: (request: T, rejection: Rejection) => void;
  /** Too many wait: this one, of the client with the most, gets no response. */
  onOverflow: (request: T) => void;
}): PacedRejections<T> {
  const unlimited = { perFlow: Infinity, perConnection: Infinity };
  const queue = new FairQueue<Queueable & { request: T; rejection: Rejection }>(unlimited);
  let isScheduled = false;
  let sentInInterval = 0;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(sendSome, intervalMs);
  }

  function sendSome(): void {
    isScheduled = false;
    sentInInterval = 0;
    const most = Math.max(mostPerInterval, Math.ceil(queue.waiting / intervalsAtMost));
    while (sentInInterval < most) {
      const next = queue.take(false);
      if (!next) break;
      sentInInterval += 1;
      settings.send(next.request, next.rejection);
    }
    if (sentInInterval > 0) schedule();
  }

  return {
    add(request, rejection) {
      schedule();
      if (queue.waiting === 0 && sentInInterval < mostPerInterval) {
        sentInInterval += 1;
        settings.send(request, rejection);
        return;
      }
      queue.add({ flow: request.flow, connection: request.connection, request, rejection });
      if (queue.waiting <= mostWaiting) return;
      const longest = queue.longest();
      const victim = longest && queue.takeOldest(longest);
      if (victim) settings.onOverflow(victim.request);
    },
  };
}
