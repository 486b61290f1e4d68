import type { Clock } from '../../../shared/clock';
import { presentEvent } from '../../events/events.presenter';
import type { FeedEvent } from '../../events/feed-event';
import type { Message } from './sender';
import type { WebhookEndpoint } from '../endpoints/webhook-endpoint';
import { signedHeaders, signingSecrets, type WebhookKeys } from '../endpoints/webhook-secrets';

interface SignedBody {
  id: string;
  body: string;
  isReplayed: boolean;
  /** How old the signature claims to be. */
  ageSeconds?: number | undefined;
}

/**
 * Signs a body for an endpoint, by the Standard Webhooks specification.
 *
 * @param id the id of the event, by which the receiver recognizes a repeat
 */
function signedMessage(
  keys: WebhookKeys,
  clock: Clock,
  endpoint: WebhookEndpoint,
  { id, body, isReplayed, ageSeconds = 0 }: SignedBody,
): Message {
  const now = clock.now();
  const timestamp = Math.floor(now.getTime() / 1_000) - ageSeconds;
  return {
    endpointId: endpoint.endpointId,
    url: endpoint.url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'contribution-service-webhooks',
      ...signedHeaders(signingSecrets(keys, endpoint, now), id, timestamp, body),
      ...(isReplayed && { 'webhook-replayed': 'true' }),
    },
    body,
  };
}

/** Makes the requests to receivers. */
export interface WebhookMessages {
  /** The body is the event as the feed shows it. */
  ofEvent(endpoint: WebhookEndpoint, event: FeedEvent, isReplayed: boolean, ageSeconds?: number): Message;
  /** Not an event of the feed: it has no `sequence`. */
  ofPing(endpoint: WebhookEndpoint, id: string): Message;
}

export function createWebhookMessages(keys: WebhookKeys, clock: Clock): WebhookMessages {
  return {
    ofEvent(endpoint, event, isReplayed, ageSeconds) {
      const body = JSON.stringify(presentEvent(endpoint.environmentKind, event));
      return signedMessage(keys, clock, endpoint, { id: event.eventId, body, isReplayed, ageSeconds });
    },
    ofPing(endpoint, id) {
      const body = JSON.stringify({
        id,
        type: 'ping',
        timestamp: clock.now().toISOString(),
        environment: endpoint.environmentKind,
        data: { endpoint_id: endpoint.endpointId },
      });
      return signedMessage(keys, clock, endpoint, { id, body, isReplayed: false });
    },
  };
}
