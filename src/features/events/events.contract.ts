import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { field, limit, refuse, timestamp, uuidField } from '../../http/request/fields';
import { transactionIdInPath } from '../../core/contributions/contribution.fields';
import { event, exampleEvent as example } from './event.fields';
import { eventTypes } from './event-type.field';

/** The longest wait for new events, in seconds. */
export const longestWaitSeconds = 15;

/** An integer in a query, with at most 15 digits. */
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
  errors: ['events_expired', 'feed_restarted'],
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
    event_id: uuidField('The `id` of the event', example.id),
  }),
  responses: { 200: { description: 'The event.', body: event, example } },
  errors: ['event_not_found'],
});

export const eventsContract = { list, get };
