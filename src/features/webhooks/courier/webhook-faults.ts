import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import type { AttemptResult, ClaimedEndpoint, Delivery, HeldBack } from './delivery';
import type { Message, Sender, SendResult } from '../sending/sender';
import type { WebhookFault } from './webhook-fault.field';
import type { WebhookMessages } from '../sending/webhook-message';

/** Takes one of the armed faults of a test environment, if any is left. */
export type TakeWebhookFault = (environmentId: number) => Promise<WebhookFault | undefined>;

export interface FaultyDeliveries {
  sender: Pick<Sender, 'send'>;
  messages: WebhookMessages;
  takeFault: TakeWebhookFault;
  /** Called for each delivery that a fault affects. */
  onFault: (kind: WebhookFault['kind']) => void;
}

/** The age of an outdated signature. Receivers reject signatures that are older than 5 minutes. */
const oldSeconds = 600;
/** Short enough that the lease outlasts the copy and the real request together. */
const copyWithinMs = 4_000;

const withBadSignature = (message: Message): Message => ({
  ...message,
  headers: { ...message.headers, 'webhook-signature': `v1,${randomBytes(32).toString('base64')}` },
});

/**
 * Attempts the deliveries of a batch, with the faults that the company has armed. A faulty copy
 * precedes the real request, and its outcome changes nothing.
 *
 * @param isProbe whether this is a probe, which is never disturbed
 */
export function attemptingWithFaults(
  { sender, messages, takeFault, onFault }: FaultyDeliveries,
  endpoint: ClaimedEndpoint,
  isProbe: boolean,
): (delivery: Delivery) => Promise<AttemptResult | HeldBack> {
  // Skip the lookup in production, for probes, and after a lookup finds no fault.
  let mayHaveFault = endpoint.environmentKind === 'test' && !isProbe;

  async function take({ kind }: Delivery): Promise<WebhookFault | undefined> {
    if (!mayHaveFault || kind !== 'first') return undefined;
    const fault = await takeFault(endpoint.environmentId);
    if (fault) onFault(fault.kind);
    else mayHaveFault = false;
    return fault;
  }

  const sendCopy = (message: Message): Promise<SendResult | undefined> =>
    Promise.race([sender.send(message), delay(copyWithinMs, undefined, { ref: false })]);

  return async (delivery) => {
    const { event } = delivery;
    const send = () => sender.send(messages.ofEvent(endpoint, event, false));
    const fault = await take(delivery);
    switch (fault?.kind) {
      case 'hold':
      case 'reorder':
        return { heldForMs: fault.delayMs, keepsOrder: fault.kind === 'hold' };
      case 'duplicate': {
        const result = await send();
        return { ...result, copy: await sendCopy(messages.ofEvent(endpoint, event, false)) };
      }
      case 'bad_signature': {
        const copy = await sendCopy(withBadSignature(messages.ofEvent(endpoint, event, false)));
        return { ...(await send()), copy };
      }
      case 'old_timestamp': {
        const copy = await sendCopy(messages.ofEvent(endpoint, event, false, oldSeconds));
        return { ...(await send()), copy };
      }
      case undefined:
        return send();
    }
  };
}
