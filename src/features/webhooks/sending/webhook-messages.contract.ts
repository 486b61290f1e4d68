import { z } from 'zod';

import type { WebhookContract } from '../../../http/openapi';
import { environmentKinds } from '../../../shared/scopes';
import { type EventType, eventTypes } from '../../events/event-type.field';
import { eventOfType, exampleEvent } from '../../events/event.fields';

const ping = z
  .strictObject({
    id: z.uuid(),
    type: z.literal('ping').meta({ 'x-discriminator': true }),
    timestamp: z.iso.datetime(),
    environment: z.enum(environmentKinds),
    data: z.strictObject({ endpoint_id: z.uuid() }),
  })
  .meta({ id: 'PingEvent', description: 'It is in no feed, so it has no `sequence`.' });

const endpointId = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3c';

const headers = {
  'webhook-id': {
    description: 'The `id` of the event. It is the same when the event is sent again',
    example: exampleEvent.id,
  },
  'webhook-timestamp': {
    description: 'The Unix time at which this request was signed, in seconds. Reject old requests',
    example: '1763631072',
  },
  'webhook-signature': {
    description:
      'Signatures of `webhook-id`, `webhook-timestamp` and the body, one for each valid secret, by the Standard Webhooks specification',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
} as const;

const replayed = {
  'webhook-replayed': {
    description: '`true` for a replay or a resend',
    example: 'true',
    isOptional: true,
  },
} as const;

const ofLink = {
  company_id: exampleEvent.data.company_id,
  bank_company_id: '019aa1b2-6b2c-7d3e-8f4a-5b6c7d8e9f0a',
  linked_at: '2026-11-01T08:00:00.000Z',
  unlinked_at: null,
  mistake: false,
};
const ofReset = {
  company_id: exampleEvent.data.company_id,
  bank_company_id: ofLink.bank_company_id,
  reset_at: '2026-11-20T09:31:12.000Z',
  generation: 1,
};
const ofEndpoint = {
  endpoint_id: endpointId,
  failing_since: '2026-11-20T08:31:12.000Z',
  disables_at: null,
  disabled_reason: null,
};

/** The summary of each type, and the members of `data` that differ from the common example. */
const described: Record<EventType, readonly [summary: string, data: object]> = {
  'contribution.created': [
    'A contribution was created',
    { stated_amount: null, bank_reference: null, value_date: null },
  ],
  'contribution.completed': ['A contribution was completed', {}],
  'contribution.completion_refused': [
    'A completion was rejected because of its amount',
    { stated_amount: '26.00' },
  ],
  'contribution.completion_repeated': [
    'A completion was sent again with another reference or date',
    { bank_reference: 'FT-2026-0043' },
  ],
  'contribution.completion_contested': ['Another party tried to complete a completed contribution', {}],
  'contribution.returned': [
    'Money went back',
    { return_id: '019aa1b2-9e5f-7a71-8b8c-9d0e1f2a3b4c', kind: 'return', code: 'AC04' },
  ],
  'contribution.return_undone': [
    'A return was undone',
    {
      return_id: '019aa1b2-af60-7b82-9c9d-0e1f2a3b4c5d',
      undoes: '019aa1b2-9e5f-7a71-8b8c-9d0e1f2a3b4c',
      kind: 'paid_again',
    },
  ],
  'contribution.corrected': [
    'A completion was corrected: no money had moved',
    { stated_amount: null, bank_reference: null, value_date: null },
  ],
  'bank_link.started': ['A bank link started', ofLink],
  'bank_link.ended': ['A bank link ended', { ...ofLink, unlinked_at: '2026-11-20T09:31:12.000Z' }],
  'sandbox.reset': ['A company whose bank you are has reset its test environment', ofReset],
  'statement_day.changed': [
    'A statement replaced another one of a day, and has other lines',
    { account_id: '019aa1b2-5d2c-7c1e-9b1a-4f5e6d7c8b9a', day: '2026-11-20', lines_gone: 1, lines_added: 2 },
  ],
  'webhook_endpoint.failing': [
    'Another endpoint has failed for 1 hour, 24 hours or 4 days',
    { ...ofEndpoint, disables_at: '2026-11-25T08:31:12.000Z' },
  ],
  'webhook_endpoint.disabled': [
    'Another endpoint was disabled',
    { ...ofEndpoint, disabled_reason: 'failing' },
  ],
  'webhook_endpoint.recovered': ['Another endpoint works again', ofEndpoint],
  'webhook_delivery.exhausted': [
    'The service stopped retrying an event for another endpoint',
    {
      endpoint_id: endpointId,
      event_id: '019aa1b2-7d3e-7e5f-8a6b-7c8d9e0f1a2b',
      event_type: 'contribution.completed',
      transaction_id: exampleEvent.data.transaction_id,
      attempts: 12,
      failure: 'status',
      status: 503,
    },
  ],
};

function exampleOf(type: EventType): object {
  const [, data] = described[type];
  const isOfContribution = type.startsWith('contribution.');
  return { ...exampleEvent, type, data: isOfContribution ? { ...exampleEvent.data, ...data } : data };
}

/** The requests that the service sends to endpoints: one for each type of event, and the ping. */
export const webhookMessagesContract: readonly WebhookContract[] = [
  ...eventTypes.map((type) => ({
    name: type,
    summary: described[type][0],
    description: 'The body is the event as your feed shows it.',
    headers: { ...headers, ...replayed },
    body: eventOfType(type),
    example: exampleOf(type),
  })),
  {
    name: 'ping',
    summary: 'You requested a ping',
    description: 'Respond with a 2xx status. The endpoint then receives events.',
    headers,
    body: ping,
    example: {
      id: exampleEvent.id,
      type: 'ping',
      timestamp: exampleEvent.timestamp,
      environment: exampleEvent.environment,
      data: { endpoint_id: endpointId },
    },
  },
];
