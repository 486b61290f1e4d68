import { z } from 'zod';

import { endpoint } from '../../http/endpoint';
import { field, limit, refuse, timestamp } from '../../http/request/fields';
import { environmentKinds } from '../../shared/scopes';
import { dollars, transactionId } from '../contributions/contribution-response.fields';
import { transactionIdInPath } from '../contributions/contribution.fields';
import { eventTypes } from './event-type.field';

/** The longest wait for new events, in seconds. */
export const longestWaitSeconds = 15;

const event = z
  .strictObject({
    id: z.uuid().meta({ description: 'The same in every feed that has this event' }),
    sequence: z.int().meta({ description: 'The number of the event in your feed: 1, 2, 3, without gaps' }),
    type: z.enum(eventTypes).meta({
      description: 'More values may be added. Ignore events of an unknown type.',
      'x-open-enum': true,
    }),
    timestamp: z.iso.datetime().meta({ description: 'When the service recorded the event' }),
    environment: z.enum(environmentKinds),
    data: z.strictObject({
      transaction_id: transactionId,
      company_id: z.uuid().meta({ description: 'The company that created the contribution' }),
      project_id: z.int(),
      amount: dollars('Amount of the contribution in US dollars, with two decimals', '25.00'),
      currency: z.literal('USD'),
      stated_amount: dollars('The amount in the request that caused the event, or null', '25.00').nullable(),
      bank_reference: z.string().nullable().meta({
        description:
          'The reference in the request that caused the event. Null if there was none, or if another bank sent the request and did not complete the contribution',
      }),
      value_date: z.iso.date().nullable(),
      return_id: z
        .uuid()
        .nullable()
        .meta({ description: 'The return that was recorded, or the id of the undo. Null for other events' }),
      undoes: z.uuid().nullable().meta({ description: 'The `return_id` that was undone, or null' }),
      kind: z
        .string()
        .nullable()
        .meta({ description: 'The kind of the return, or the reason for the undo. Null for other events' }),
      code: z.string().nullable().meta({ description: "The payment scheme's code of the return, or null" }),
      idempotency_key: z
        .string()
        .nullable()
        .optional()
        .meta({ description: 'Visible only to the company that created the contribution' }),
    }),
  })
  .meta({ id: 'Event' });

const example = {
  id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b',
  sequence: 4_711,
  type: 'contribution.completed',
  timestamp: '2026-11-20T09:31:12.000Z',
  environment: 'production',
  data: {
    transaction_id: 'K7Q20CR5M3V9XHG',
    company_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
    project_id: 1,
    amount: '25.00',
    currency: 'USD',
    stated_amount: '25.00',
    bank_reference: 'FT-2026-0042',
    value_date: '2026-11-20',
    return_id: null,
    undoes: null,
    kind: null,
    code: null,
    idempotency_key: 'order-1042',
  },
} as const;

/** A whole number in a query, at most 15 digits. */
const numberInQuery = (maximum: number, description: string) =>
  field({ type: 'integer', minimum: 0, maximum, description }, (value) => {
    const number = typeof value === 'string' && /^(0|[1-9]\d{0,14})$/.test(value) ? Number(value) : -1;
    return number >= 0 && number <= maximum
      ? number
      : refuse('out_of_range', `Send an integer from 0 to ${maximum}.`);
  }).optional();

const list = endpoint({
  operationId: 'listEvents',
  method: 'get',
  path: '/company/integration/events',
  summary: 'List events',
  description:
    'Read your feed: the events of your contributions and, if you are a bank, of those that you can see. Store `next_after` together with the work that the events caused, and send it as `after` of the next request. New events always get higher numbers, without gaps. With `wait`, a request without new events waits for them. A page may have fewer events than `limit` even if `has_more` is true. The feed keeps events for 180 days.',
  origin: 'addition',
  scope: 'events:read',
  query: z.strictObject({
    after: numberInQuery(
      999_999_999_999_999,
      'Return events with a higher `sequence`. Without it, the list begins with the oldest event that the feed keeps.',
    ),
    limit: limit(100),
    type: z.enum(eventTypes, { error: 'Send a known type of event.' }).optional(),
    transaction_id: transactionIdInPath.optional(),
    from: timestamp('Return events recorded at or after this time.'),
    to: timestamp('Return events recorded before this time.'),
    wait: numberInQuery(
      longestWaitSeconds,
      'Maximum number of seconds to wait for an event after `after`. In each process of the service, at most 5 requests of an environment wait at a time.',
    ),
  }),
  responses: {
    200: {
      description: 'A page of events.',
      body: z.strictObject({
        data: z.array(event),
        has_more: z.boolean(),
        next_after: z.int().meta({ description: 'Send this as `after` of the next request' }),
        last_sequence: z.int().meta({ description: 'The number of the newest event in the feed, or 0' }),
      }),
      example: { data: [example], has_more: false, next_after: 4_711, last_sequence: 4_711 },
    },
  },
  errors: ['invalid_request', 'events_expired', 'feed_restarted'],
});

const get = endpoint({
  operationId: 'getEvent',
  method: 'get',
  path: '/company/integration/events/{event_id}',
  summary: 'Get an event',
  description: 'Read one event of your feed. The feed keeps events for 180 days.',
  origin: 'addition',
  scope: 'events:read',
  params: z.object({
    event_id: field(
      { type: 'string', format: 'uuid', description: 'The `id` of the event', examples: [example.id] },
      (value) =>
        typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
          ? value
          : refuse('invalid_format', 'Send a UUID.'),
    ),
  }),
  responses: { 200: { description: 'The event.', body: event, example } },
  errors: ['invalid_request', 'event_not_found'],
});

export const eventsContract = { list, get };
