import { ServiceError } from '../../shared/errors';
import type { Message, Sender, SendResult } from './sender';

/** Waits while the request holds no slot. */
export type Outside = (wait: () => Promise<void>) => Promise<void>;

/** Requests of one environment that wait for receivers at a time. */
const mostOfOne = 5;
/** Beyond this many in total, each environment has one at a time. */
const mostShared = 50;
const mostOfAll = 200;

/**
 * Sends messages while the partners who requested them wait.
 *
 * @throws ServiceError if too many wait
 */
export function createRequestedSends(
  sender: Pick<Sender, 'send'>,
): (environmentId: number, message: Message, outside: Outside) => Promise<SendResult> {
  const waiting = new Map<number, number>();
  let total = 0;

  return async (environmentId, message, outside) => {
    const own = waiting.get(environmentId) ?? 0;
    const isCrowded = total >= mostOfAll || (total >= mostShared && own > 0);
    if (own >= mostOfOne || isCrowded) {
      throw new ServiceError(own >= mostOfOne ? 'rate_limited' : 'overloaded', {
        detail: `At most ${mostOfOne} requests of an environment wait for receivers at a time, and fewer while many environments wait. Wait Retry-After seconds.`,
        headers: { 'Retry-After': '1' },
      });
    }
    waiting.set(environmentId, own + 1);
    total += 1;
    try {
      const results: SendResult[] = [];
      await outside(async () => {
        results.push(await sender.send(message));
      });
      const [result] = results;
      if (!result) throw new Error('nothing was sent');
      return result;
    } finally {
      total -= 1;
      const left = (waiting.get(environmentId) ?? 1) - 1;
      if (left > 0) waiting.set(environmentId, left);
      else waiting.delete(environmentId);
    }
  };
}
