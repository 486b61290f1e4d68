import type { z } from 'zod';

import type { Routes } from '../../../http/routes';
import { pageByUuid } from '../../../shared/uuid-cursor';
import type { WebhookAttempt } from '../attempts/webhook-attempts.store';
import { webhookRequestsContract as contract } from './webhook-requests.contract';
import type { WebhookRequestsService } from './webhook-requests.service';

const presentOne = (attempt: WebhookAttempt) => ({
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

const present = (found: readonly WebhookAttempt[], limit: number) =>
  pageByUuid(found.map(presentOne), limit, (attempt) => attempt.attempt_id);

/** Reads one attempt more than the page, to know whether there are more. */
const pageOf = ({ limit, cursor, outcome }: z.output<typeof contract.attemptsOfEvent.query>) => ({
  limit: limit + 1,
  before: cursor,
  outcome,
});

/** Adds pings, resends and the log of attempts to the API. */
export function webhookRequestsRoutes(routes: Routes, requests: WebhookRequestsService): void {
  routes.bind(contract.ping).to(async ({ principal, params, outside }) => {
    return {
      status: 200,
      body: presentOne(await requests.ping(principal.environmentId, params.endpoint_id, outside)),
    };
  });

  routes.bind(contract.resend).to(async ({ principal, params, outside }) => {
    const { endpoint_id: endpointId, event_id: eventId } = params;
    return {
      status: 200,
      body: presentOne(await requests.resend(principal.environmentId, endpointId, eventId, outside)),
    };
  });

  routes.bind(contract.attempts).to(async ({ principal, params, query }) => {
    const of = { endpointId: params.endpoint_id, eventId: query.event_id };
    const found = await requests.attempts(principal.environmentId, of, pageOf(query));
    return { status: 200, body: present(found, query.limit) };
  });

  routes.bind(contract.attemptsOfEvent).to(async ({ principal, params, query }) => {
    const found = await requests.attemptsOfEvent(principal.environmentId, params.event_id, pageOf(query));
    return { status: 200, body: present(found, query.limit) };
  });
}
