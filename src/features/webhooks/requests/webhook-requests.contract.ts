import { z } from 'zod';

import { endpoint } from '../../../http/contract';
import { pageSchema } from '../../../http/response/page';
import { cursor, limit } from '../../../http/request/fields';
import type { ErrorCode } from '../../../shared/errors';
import { readUuidCursor } from '../../../shared/uuid-cursor';
import { attemptKinds, attemptOutcomes } from '../attempts/attempt-kind.field';
import { sendFailures } from '../sending/send-failure.field';
import { endpointIdInPath, eventIdInPath } from '../endpoints/webhook-endpoint.fields';

const one = '/company/integration/webhook-endpoints/{endpoint_id}';

const attempt = z
  .strictObject({
    attempt_id: z.uuid(),
    endpoint_id: z.uuid(),
    event_id: z
      .uuid()
      .meta({ description: 'The `id` of the event or ping, which the receiver got as `webhook-id`' }),
    kind: z.enum(attemptKinds).meta({
      description:
        'Why it was sent. `first`: for the first time. `retry`: after a failure, or after it waited for an earlier event of its contribution. `ping`, `resend` and `replay`: you requested it. `fault`: as the copy of a sandbox fault',
      'x-open-enum': true,
    }),
    attempt: z.int().meta({ description: '1 for the first attempt' }),
    outcome: z.enum(attemptOutcomes).meta({
      description:
        '`exhausted`: the attempt failed and no further one follows. Resend the event or read the feed',
      'x-open-enum': true,
    }),
    failure: z.enum(sendFailures).nullable().meta({
      description:
        'Why it failed. `status`: the receiver did not respond with a 2xx status. Null if it was delivered',
      'x-open-enum': true,
    }),
    status: z.int().nullable().meta({ description: 'The status of the response, or null if there was none' }),
    attempted_at: z.iso.datetime(),
    duration_ms: z.int(),
    response: z
      .string()
      .nullable()
      .meta({ description: 'The first 1,024 bytes of the response to a failure' }),
  })
  .meta({ id: 'WebhookAttempt' });

const example = {
  attempt_id: '019aa1b2-9e5f-7a71-8b8c-9d0e1f2a3b4c',
  endpoint_id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3c',
  event_id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b',
  kind: 'first',
  attempt: 1,
  outcome: 'failed',
  failure: 'status',
  status: 503,
  attempted_at: '2026-11-20T09:31:12.310Z',
  duration_ms: 41,
  response: 'upstream unavailable',
} as const;

const delivered = { ...example, outcome: 'delivered', failure: null, status: 204, response: null } as const;

const kept =
  'Deliveries that succeed at once, and successes of a replay, are listed for 7 days, unless the operator has set another time. All other attempts are listed for 30 days.';

const listQuery = {
  outcome: z.enum(attemptOutcomes, { error: 'Send delivered, failed or exhausted.' }).optional(),
  limit: limit(100),
  cursor: cursor(readUuidCursor),
};

const listed = {
  description: 'The attempts.',
  body: pageSchema(attempt),
  example: {
    data: [{ ...delivered, attempt: 2, kind: 'retry' }, example],
    has_more: false,
    next_cursor: null,
  },
} as const;

const params = z.object({ endpoint_id: endpointIdInPath });
const common = { origin: 'addition', scope: 'webhooks:manage' } as const;
const errors: readonly ErrorCode[] = ['webhook_endpoint_not_found'];

const ping = endpoint({
  ...common,
  operationId: 'pingWebhookEndpoint',
  method: 'post',
  path: `${one}/ping`,
  summary: 'Ping a webhook endpoint',
  description:
    'Sends a signed ping and returns the outcome, after at most 15 seconds. A success enables an unverified endpoint. At most 5 requests of an environment wait for receivers at a time. Ten pings and resends of an environment may fail, and then one every 30 seconds. Enables, changed URLs and replays count too. A host gets at most 100 pings and resends a second. Beyond that, you get 429 `rate_limited`.',
  params,
  responses: {
    200: {
      description: 'The attempt. See `outcome`.',
      body: attempt,
      example: { ...delivered, kind: 'ping' },
    },
  },
  errors: [...errors, 'webhooks_not_configured'],
});

const resend = endpoint({
  ...common,
  operationId: 'resendWebhookEvent',
  method: 'post',
  path: `${one}/events/{event_id}/resend`,
  summary: 'Resend an event',
  description:
    'Sends an event of your feed again and returns the outcome, after at most 15 seconds. The request has the header `Webhook-Replayed: true`. It changes neither the position nor the retries of the endpoint. It shares the limits of pings.',
  params: z.object({ endpoint_id: endpointIdInPath, event_id: eventIdInPath }),
  responses: {
    200: {
      description: 'The attempt. See `outcome`.',
      body: attempt,
      example: { ...delivered, kind: 'resend' },
    },
  },
  errors: [...errors, 'event_not_found', 'webhook_endpoint_unverified', 'webhooks_not_configured'],
});

const attempts = endpoint({
  ...common,
  operationId: 'listWebhookAttempts',
  method: 'get',
  path: `${one}/attempts`,
  summary: 'List delivery attempts',
  description: `What was sent to the endpoint, and how its receiver responded, newest first. ${kept} For one event, send \`event_id\`.`,
  params,
  query: z.strictObject({ event_id: eventIdInPath.optional(), ...listQuery }),
  responses: { 200: listed },
  errors,
});

const attemptsOfEvent = endpoint({
  ...common,
  operationId: 'listEventAttempts',
  method: 'get',
  path: '/company/integration/events/{event_id}/attempts',
  summary: 'List delivery attempts of an event',
  description: `The attempts to deliver an event of your feed, to all endpoints, newest first. ${kept}`,
  params: z.object({ event_id: eventIdInPath }),
  query: z.strictObject(listQuery),
  responses: { 200: listed },
  errors: ['event_not_found'],
});

export const webhookRequestsContract = { ping, resend, attempts, attemptsOfEvent };
