import { createOutsideWaits, type Outside } from './outside-waits';
import type { Message, Sender, SendResult } from './sender';

/**
 * Sends messages while the partners who requested them wait.
 *
 * @throws ServiceError if too many wait
 */
export function createRequestedSends(
  sender: Pick<Sender, 'send'>,
): (environmentId: number, message: Message, outside: Outside) => Promise<SendResult> {
  const waits = createOutsideWaits({ what: 'receivers', ofOne: 5, shared: 50, all: 200 });
  return (environmentId, message, outside) => waits(environmentId, outside, () => sender.send(message));
}
