import { contained } from '../../../shared/contained';
import type { Rejection } from '../../../shared/errors';
import { DrainRate } from './drain-rate';
import { FairQueue, type Queueable } from './fair-queue';

export interface PacedRejections<T> {
  add: (request: T, rejection: Rejection) => void;
}

const intervalMs = 4;
const mostPerInterval = 8;
/** The most intervals that a rejection waits. If many wait, more are sent in each interval. */
const mostIntervals = 100;
const mostWaiting = 4_096;

/**
 * Sends rejections at a limited rate. Most of the cost of a flood is writing responses, and a
 * client may send its next request as soon as it gets one. Clients take turns, so a flood from one
 * client does not delay the rejections of others.
 */
export function createPacedRejections<T extends Queueable>(settings: {
  send: (request: T, rejection: Rejection) => void;
  /**
   * Called when too many rejections wait, with the oldest request of the longest flow. It gets no
   * response.
   */
  onOverflow: (request: T) => void;
}): PacedRejections<T> {
  const unlimited = { perFlow: Infinity, perConnection: Infinity };
  const queue = new FairQueue<Queueable & { request: T; rejection: Rejection }>(unlimited);
  const drainRate = new DrainRate(mostIntervals);
  let isScheduled = false;
  let intervals = 0;
  let sentInInterval = 0;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(sendSome, intervalMs);
  }

  const sendSome = contained(() => {
    isScheduled = false;
    sentInInterval = 0;
    // The rate is per interval, not per second: after a slow turn of the event loop, a rate per
    // second would send too many rejections at once.
    intervals += 1;
    const most = Math.max(mostPerInterval, Math.ceil(drainRate.update(queue.waiting, intervals)));
    while (sentInInterval < most) {
      const next = queue.take(false);
      if (!next) break;
      sentInInterval += 1;
      settings.send(next.request, next.rejection);
    }
    if (sentInInterval > 0) schedule();
  }, schedule);

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
      const dropped = longest && queue.takeOldest(longest);
      if (dropped) settings.onOverflow(dropped.request);
    },
  };
}
