import type { Router } from 'express';

import { bind, type EndpointDependencies } from '../../http/endpoint';
import type { WebhookAttempt } from './webhook-attempts.store';
import { webhookRequestsContract as contract } from './webhook-requests.contract';
import type { WebhookRequestsService } from './webhook-requests.service';

const present = (attempt: WebhookAttempt) => ({
  attempt_id: attempt.attemptId,
  endpoint_id: attempt.endpointId,
  event_id: attempt.eventId,
  kind: attempt.kind,
  attempt: attempt.attempt,
  outcome: attempt.outcome,
  failure: attempt.failure,
  status: attempt.status,
  attempted_at: attempt.attemptedAt.toISOString(),
  duration_ms: attempt.durationMs,
  response: attempt.response,
});

/** Adds pings, resends and the log of attempts to the router of the API. */
export function webhookRequestsRoutes(
  router: Router,
  http: EndpointDependencies,
  requests: WebhookRequestsService,
): void {
  bind(router, http, contract.ping).to(async ({ principal, params, outside, addToLog }) => {
    addToLog({ endpoint_id: params.endpoint_id });
    return {
      status: 200,
      body: present(await requests.ping(principal.environmentId, params.endpoint_id, outside)),
    };
  });

  bind(router, http, contract.resend).to(async ({ principal, params, outside, addToLog }) => {
    const { endpoint_id: endpointId, event_id: eventId } = params;
    addToLog({ endpoint_id: endpointId, event_id: eventId });
    return {
      status: 200,
      body: present(await requests.resend(principal.environmentId, endpointId, eventId, outside)),
    };
  });

  bind(router, http, contract.attempts).to(async ({ principal, params, query }) => ({
    status: 200,
    body: {
      data: (
        await requests.attempts(principal.environmentId, params.endpoint_id, query.limit, query.event_id)
      ).map(present),
    },
  }));

  bind(router, http, contract.attemptsOfEvent).to(async ({ principal, params, query }) => ({
    status: 200,
    body: {
      data: (await requests.attemptsOfEvent(principal.environmentId, params.event_id, query.limit)).map(
        present,
      ),
    },
  }));
}
