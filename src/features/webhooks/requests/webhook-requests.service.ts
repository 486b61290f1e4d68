import { v7 as uuidv7 } from 'uuid';

import type { EventsService } from '../../events/events.service';
import { loggedResult } from '../attempts/attempt-log';
import type { Outside } from './outside-waits';
import { createRequestedSends } from './requested-sends';
import type { SendLimits } from './send-limits';
import type { Message, Sender } from '../sending/sender';
import type {
  AttemptsFilter,
  WebhookAttempt,
  WebhookAttemptsStore,
} from '../attempts/webhook-attempts.store';
import {
  endpointUnverified,
  type WebhookEndpointsService,
  webhooksNotConfigured,
} from '../endpoints/webhook-endpoints.service';
import type { WebhookMessages } from '../sending/webhook-message';

type AttemptsPage = Omit<AttemptsFilter, 'of'>;

/** What partners request for an endpoint: pings, repeats of an event, and the log of attempts. */
export type WebhookRequestsService = ReturnType<typeof createWebhookRequestsService>;

export interface WebhookRequestsDependencies {
  endpoints: Pick<WebhookEndpointsService, 'get'>;
  events: Pick<EventsService, 'get'>;
  attempts: WebhookAttemptsStore;
  sender: Pick<Sender, 'send'>;
  limits: Pick<SendLimits, 'asFailure' | 'takeRequest'>;
  /** Undefined if the operator has configured no webhooks. */
  messages: WebhookMessages | undefined;
}

export function createWebhookRequestsService(deps: WebhookRequestsDependencies) {
  const { endpoints, events, attempts } = deps;
  const send = createRequestedSends(deps.sender, deps.limits);

  function requireMessages(): WebhookMessages {
    if (deps.messages) return deps.messages;
    throw webhooksNotConfigured();
  }

  async function attempt(
    environmentId: number,
    endpointId: string,
    { kind, eventId, message }: { kind: 'ping' | 'resend'; eventId: string; message: Message },
    outside: Outside,
  ): Promise<WebhookAttempt> {
    const result = await send(environmentId, message, outside);
    if (kind === 'ping' && result.isSuccess) await attempts.verify(environmentId, endpointId, message.url);
    const logged = await attempts.log(environmentId, endpointId, {
      attempt_id: uuidv7(),
      event_id: eventId,
      kind,
      attempt: 1,
      outcome: result.isSuccess ? 'delivered' : 'failed',
      ...loggedResult(result),
    });
    if (logged) return logged;
    // The endpoint was deleted meanwhile. This throws the same error as for any unknown endpoint.
    await endpoints.get(environmentId, endpointId);
    throw new Error('the attempt was not logged');
  }

  return {
    /**
     * @throws ServiceError webhook_endpoint_not_found, like all methods that take an endpointId,
     *   and rate_limited, like resend
     */
    async ping(environmentId: number, endpointId: string, outside: Outside) {
      const messages = requireMessages();
      const endpoint = await endpoints.get(environmentId, endpointId);
      const eventId = uuidv7();
      const message = messages.ofPing(endpoint, eventId);
      return attempt(environmentId, endpointId, { kind: 'ping', eventId, message }, outside);
    },
    /**
     * @throws ServiceError event_not_found if the feed does not have the event, and
     *   webhook_endpoint_unverified before the first success of a ping
     */
    async resend(environmentId: number, endpointId: string, eventId: string, outside: Outside) {
      const messages = requireMessages();
      const endpoint = await endpoints.get(environmentId, endpointId);
      if (endpoint.verifiedAt === null) throw endpointUnverified();
      const event = await events.get(environmentId, eventId);
      const message = messages.ofEvent(endpoint, event, true);
      return attempt(environmentId, endpointId, { kind: 'resend', eventId: event.eventId, message }, outside);
    },
    async attempts(
      environmentId: number,
      of: { endpointId: string; eventId: string | undefined },
      page: AttemptsPage,
    ) {
      await endpoints.get(environmentId, of.endpointId);
      return attempts.list(environmentId, { of, ...page });
    },
    /** @throws ServiceError event_not_found if the feed does not have the event */
    async attemptsOfEvent(environmentId: number, eventId: string, page: AttemptsPage) {
      const event = await events.get(environmentId, eventId);
      return attempts.list(environmentId, { of: { eventId: event.eventId }, ...page });
    },
  };
}
