import { z } from 'zod';

import { endpoint } from '../../../http/contract';
import { clearableText, integerInBody, optionalText } from '../../../http/request/fields';
import type { ErrorCode } from '../../../shared/errors';
import { eventTypes } from '../../events/event-type.field';
import { endpointIdInPath, optionalTypes } from './webhook-endpoint.fields';
import { disabledReasons, webhookStatuses } from './webhook-status.field';
import { optionalWebhookUrl, webhookUrl } from './webhook-url.field';

const collection = '/company/integration/webhook-endpoints';
const one = `${collection}/{endpoint_id}`;

const time = z.iso.datetime();

const members = {
  endpoint_id: z.uuid(),
  url: z.string(),
  types: z.array(z.enum(eventTypes).meta({ 'x-open-enum': true })).meta({
    description:
      'The types of events that the endpoint receives. An empty list means all types, including types that are added later',
  }),
  description: z.string().nullable(),
  status: z.enum(webhookStatuses).meta({
    description:
      '`unverified`: send a ping first. `enabled`: receives events. `failing`: deliveries are stopped, and one is attempted at `next_attempt_at`. `disabled`: receives only pings and resends that you request',
    'x-open-enum': true,
  }),
  disabled_reason: z.enum(disabledReasons).nullable().meta({
    description:
      '`requested`: you disabled it. `operator`: the operator disabled it. `gone`: it responded with 410. `failing`: it failed for 5 days. Null if it is not disabled',
    'x-open-enum': true,
  }),
  disabled_at: time.nullable(),
  failing_since: time.nullable().meta({
    description: 'The time of the first failure since the last success, or null',
  }),
  next_attempt_at: time.nullable(),
  position: z.int().meta({
    description:
      'Each event up to this `sequence` was delivered, waits for a retry, is exhausted or expired, or has a type that the endpoint did not receive',
  }),
  last_delivered_at: time.nullable(),
  secret_version: z.int(),
  previous_secret_expires_at: time.nullable().meta({
    description: 'Until this time, the service also signs with the previous secret. Null if there is none',
  }),
  created_at: time,
  updated_at: time,
};

const webhookEndpoint = z.strictObject(members).meta({ id: 'WebhookEndpoint' });

const withSecret = z
  .strictObject({
    ...members,
    secret: z.string().meta({
      description: 'Verifies signatures. Store it now: no other response contains it',
    }),
  })
  .meta({ id: 'WebhookEndpointWithSecret' });

const example = {
  endpoint_id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3c',
  url: 'https://app.example.com/webhooks',
  types: ['contribution.completed'],
  description: 'Completions',
  status: 'enabled',
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  next_attempt_at: null,
  position: 4_711,
  last_delivered_at: '2026-11-20T09:31:12.310Z',
  secret_version: 1,
  previous_secret_expires_at: null,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
} as const;

const exampleWithSecret = { ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' };

const params = z.object({ endpoint_id: endpointIdInPath });
const common = { origin: 'addition', scope: 'webhooks:manage' } as const;
const ofOne: readonly ErrorCode[] = ['webhook_endpoint_not_found'];
const response = (description: string) => ({ 200: { description, body: webhookEndpoint, example } });

const create = endpoint({
  ...common,
  operationId: 'createWebhookEndpoint',
  method: 'post',
  path: collection,
  summary: 'Create a webhook endpoint',
  description:
    'The endpoint is `unverified`: send a ping to it. After a ping has succeeded, it receives the events that are recorded after its creation. An environment has at most 10 endpoints, each with its own URL.',
  body: {
    accepts: ['json'],
    schema: z.object({
      url: webhookUrl,
      types: optionalTypes,
      description: optionalText(200, 'For your own use'),
    }),
    example: { url: example.url, types: example.types, description: example.description },
  },
  responses: {
    201: {
      description: 'The endpoint, with its secret.',
      headers: { Location: 'The URL of the endpoint.' },
      body: withSecret,
      example: exampleWithSecret,
    },
  },
  errors: [
    'webhook_url_taken',
    'webhook_endpoint_limit',
    'webhook_url_not_allowed',
    'webhooks_not_configured',
  ],
});

const list = endpoint({
  ...common,
  operationId: 'listWebhookEndpoints',
  method: 'get',
  path: collection,
  summary: 'List webhook endpoints',
  description: 'All endpoints of the environment, oldest first.',
  responses: {
    200: {
      description: 'The endpoints.',
      body: z.strictObject({ data: z.array(webhookEndpoint), has_more: z.boolean() }),
      example: { data: [example], has_more: false },
    },
  },
  errors: ['invalid_request'],
});

const get = endpoint({
  ...common,
  operationId: 'getWebhookEndpoint',
  method: 'get',
  path: one,
  summary: 'Get a webhook endpoint',
  description: 'The settings of an endpoint, and the state of its deliveries.',
  params,
  responses: response('The endpoint.'),
  errors: ofOne,
});

const change = endpoint({
  ...common,
  operationId: 'changeWebhookEndpoint',
  method: 'patch',
  path: one,
  summary: 'Change a webhook endpoint',
  description:
    'Changes the members that you send. An endpoint with another URL receives nothing until a ping to it has succeeded. Its position and its secrets stay. If you remove a type, the retries of its events end without an attempt, and they do not start again if you add the type. Replay these events if you need them. Failures at the old URL do not count. A new URL counts like a failed ping.',
  params,
  body: {
    accepts: ['json'],
    schema: z.object({
      url: optionalWebhookUrl,
      types: optionalTypes,
      description: clearableText(200, 'For your own use. Null removes it'),
    }),
    example: { types: ['contribution.completed', 'contribution.returned'] },
  },
  responses: response('The changed endpoint.'),
  errors: [...ofOne, 'webhook_url_taken', 'webhook_url_not_allowed'],
});

const remove = endpoint({
  ...common,
  operationId: 'deleteWebhookEndpoint',
  method: 'delete',
  path: one,
  summary: 'Delete a webhook endpoint',
  description: 'Deletes the endpoint and the deliveries that wait for a retry. The feed keeps the events.',
  params,
  responses: { 204: { description: 'The endpoint is deleted.' } },
  errors: ofOne,
});

const rotateSecret = endpoint({
  ...common,
  operationId: 'rotateWebhookSecret',
  method: 'post',
  path: `${one}/rotate-secret`,
  summary: "Rotate a webhook endpoint's secret",
  description:
    'Generates a new secret. During the overlap, the service signs with the new and the previous secret. Any earlier secret stops signing within seconds. Within 10 minutes, a repeat returns the same secret and restarts the overlap, unless the overlap has ended. Repeat the request if you lose the response.',
  params,
  body: {
    accepts: ['json'],
    schema: z.object({
      overlap_hours: integerInBody(
        0,
        168,
        'Hours during which the service also signs with the current secret. Default 24',
      ),
    }),
    example: { overlap_hours: 24 },
  },
  responses: {
    200: {
      description: 'The endpoint, with its new secret.',
      body: withSecret,
      example: {
        ...exampleWithSecret,
        secret_version: 2,
        previous_secret_expires_at: '2026-11-21T10:00:00.000Z',
      },
    },
  },
  errors: [...ofOne, 'webhooks_not_configured'],
});

const enable = endpoint({
  ...common,
  operationId: 'enableWebhookEndpoint',
  method: 'post',
  path: `${one}/enable`,
  summary: 'Enable a webhook endpoint',
  description:
    'Enables a disabled endpoint, and retries a failing one now. Delivery continues with the event after its position. Events that the feed no longer keeps are skipped. Counts like a failed ping, unless it is `unverified`: then send a ping.',
  params,
  responses: response('The endpoint.'),
  errors: [...ofOne, 'webhooks_not_configured'],
});

const disable = endpoint({
  ...common,
  operationId: 'disableWebhookEndpoint',
  method: 'post',
  path: `${one}/disable`,
  summary: 'Disable a webhook endpoint',
  description: 'Stops deliveries within seconds. The endpoint keeps its position.',
  params,
  responses: response('The endpoint.'),
  errors: ofOne,
});

export const webhookEndpointsContract = { create, list, get, change, remove, rotateSecret, enable, disable };
