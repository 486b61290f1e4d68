import { createOutsideWaits, type Outside } from './outside-waits';
import type { SendLimits } from './send-limits';
import type { Message, Sender, SendResult } from '../sending/sender';

/**
 * Sends messages while the partners who requested them wait.
 *
 * @throws ServiceError if too many wait, if too many have failed, or if the host gets too many
 */
export function createRequestedSends(
  sender: Pick<Sender, 'send'>,
  limits: Pick<SendLimits, 'asFailure' | 'takeRequest'>,
): (environmentId: number, message: Message, outside: Outside) => Promise<SendResult> {
  const waits = createOutsideWaits({ what: 'receivers', ofOne: 5, shared: 50, all: 200 });
  return (environmentId, message, outside) =>
    waits(environmentId, outside, () =>
      limits.asFailure(
        environmentId,
        () => {
          limits.takeRequest(message.url);
          return sender.send(message);
        },
        ({ isSuccess }) => isSuccess,
      ),
    );
}
