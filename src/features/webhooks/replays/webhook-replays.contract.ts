import { z } from 'zod';

import { endpoint } from '../../../http/contract';
import {
  booleanInBody,
  integerInBody,
  limit,
  optionalField,
  refuse,
  timestamp,
} from '../../../http/request/fields';
import type { ErrorCode } from '../../../shared/errors';
import { eventTypes } from '../../events/event-type.field';
import { replayOnly, type ReplayOnly, replayStatuses } from './replay-status.field';
import { endpointIdInPath, optionalTypes, replayIdInPath } from '../endpoints/webhook-endpoint.fields';

const collection = '/company/integration/webhook-endpoints/{endpoint_id}/replays';
const one = `${collection}/{replay_id}`;

const mostSequence = 999_999_999_999_999;

const known = new Set<unknown>(replayOnly);
const optionalOnly = optionalField(
  {
    type: 'string',
    enum: replayOnly,
    description:
      '`all` sends all events. `exhausted` sends only events that were exhausted for this endpoint in the last 30 days. Default `all`',
  },
  (value): ReplayOnly | ReturnType<typeof refuse> =>
    known.has(value) ? (value as ReplayOnly) : refuse('unsupported_value', 'Send all or exhausted.'),
);

const part = {
  from_sequence: z.int().meta({ description: 'The `sequence` of the first event in the range' }),
  to_sequence: z.int().meta({
    description:
      'The `sequence` of the last event in the range. Lower than `from_sequence` if the feed has no event in the range',
  }),
  types: z.array(z.enum(eventTypes).meta({ 'x-open-enum': true })).meta({
    description: 'The types of events that are sent. Empty for all types',
  }),
  only: z.enum(replayOnly).meta({ 'x-open-enum': true }),
  event_count: z.int().meta({ description: 'The number of events to send' }),
};

const replay = z
  .strictObject({
    replay_id: z.uuid(),
    endpoint_id: z.uuid(),
    status: z.enum(replayStatuses).meta({
      description:
        '`running`: events are sent while the endpoint is enabled. `failed`: three events in a row failed in all attempts. Later, start another replay after `position`',
      'x-open-enum': true,
    }),
    ...part,
    position: z
      .int()
      .meta({ description: 'Every event in the range up to this `sequence` was sent or skipped' }),
    delivered_count: z.int(),
    skipped_count: z.int().meta({ description: 'The number of events that failed in all six attempts' }),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'WebhookReplay' });

const preview = z.strictObject(part).meta({ id: 'WebhookReplayPreview' });

const examplePart = {
  from_sequence: 4_000,
  to_sequence: 4_711,
  types: ['contribution.completed'],
  only: 'all',
  event_count: 240,
} as const;

const example = {
  replay_id: '019aa1b2-af60-7b82-9c9d-0e1f2a3b4c5d',
  endpoint_id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3c',
  status: 'running',
  ...examplePart,
  position: 4_200,
  delivered_count: 61,
  skipped_count: 0,
  created_at: '2026-11-20T09:31:12.310Z',
  ended_at: null,
} as const;

const params = z.object({ endpoint_id: endpointIdInPath });
const paramsOfOne = z.object({ endpoint_id: endpointIdInPath, replay_id: replayIdInPath });
const common = { origin: 'addition', scope: 'webhooks:manage' } as const;
const ofOne: readonly ErrorCode[] = ['webhook_replay_not_found'];

interface Start {
  from?: unknown;
  to?: unknown;
  from_sequence?: unknown;
  to_sequence?: unknown;
}

/** Requires a start, and either times or sequence numbers. */
function oneStart({ from, to, from_sequence: first, to_sequence: last }: Start, context: z.RefinementCtx) {
  const hasTimes = from !== undefined || to !== undefined;
  const hasNumbers = first !== undefined || last !== undefined;
  if (hasTimes ? from !== undefined && !hasNumbers : first !== undefined) return;
  context.addIssue({
    code: 'custom',
    path: [hasTimes ? 'from' : 'from_sequence'],
    message: 'Send either from, with or without to, or from_sequence, with or without to_sequence.',
    params: { code: 'unsupported_value' },
  });
}

/** An empty range replays nothing, which would look as if the receiver had missed nothing. */
function inOrder({ from, to, from_sequence: first, to_sequence: last }: Start, context: z.RefinementCtx) {
  const outOfOrder = (name: string, message: string): void => {
    context.addIssue({ code: 'custom', path: [name], message, params: { code: 'out_of_range' } });
  };
  if (typeof from === 'string' && typeof to === 'string' && Date.parse(to) <= Date.parse(from))
    outOfOrder('to', 'Send a time after from.');
  if (typeof first === 'number' && typeof last === 'number' && last < first)
    outOfOrder('to_sequence', 'Send a number that is not lower than from_sequence.');
}

const body = {
  accepts: ['json'] as ['json'],
  // A misspelt `dry_run` must not start a replay.
  schema: z
    .strictObject({
      from: timestamp('Send the events that your feed got at or after this time.'),
      to: timestamp(
        'Send the events that your feed got before this time, which is after `from`. Default: until now.',
      ),
      from_sequence: integerInBody(1, mostSequence, 'The `sequence` of the first event to send'),
      to_sequence: integerInBody(
        1,
        mostSequence,
        'The `sequence` of the last event to send, at least `from_sequence`. Default: the position of the endpoint',
      ),
      types: optionalTypes,
      only: optionalOnly,
      dry_run: booleanInBody('`true`: count the events, and send none'),
    })
    .superRefine(oneStart)
    .superRefine(inOrder),
  example: { from: '2026-11-20T08:00:00Z', types: ['contribution.completed'] },
};

const create = endpoint({
  ...common,
  operationId: 'createWebhookReplay',
  method: 'post',
  path: collection,
  summary: 'Replay events',
  description:
    'Sends a part of your feed to the endpoint again, from a time or from a `sequence`. The events of a contribution stay in order. The events keep their `id` and body. The requests have a new timestamp and the header `Webhook-Replayed: true`. A replay is slower than deliveries of new events and does not delay them. It changes neither the position nor the retries of the endpoint. It sends only events that the endpoint has already passed, at most 1,000,000. An endpoint can have one running replay at a time. It sends events of all types, also of those that the endpoint does not receive, unless `types` names some. With `dry_run`, the response counts the events. The operation rejects unknown members. While the endpoint is `failing` or `disabled`, the replay waits, and also after its URL has changed, until a ping succeeds. Counts like a failed ping. Replays to one host send at most 100 events a second together.',
  params,
  body,
  responses: {
    200: { description: 'With `dry_run`: what a replay would send.', body: preview, example: examplePart },
    201: {
      description: 'The replay.',
      headers: { Location: 'The URL of the replay.' },
      body: replay,
      example: { ...example, position: 3_999, delivered_count: 0 },
    },
  },
  errors: [
    'webhook_endpoint_not_found',
    'webhook_endpoint_unverified',
    'webhook_replay_running',
    'events_expired',
    'webhooks_not_configured',
  ],
});

const list = endpoint({
  ...common,
  operationId: 'listWebhookReplays',
  method: 'get',
  path: collection,
  summary: 'List replays',
  description: 'The latest replays of an endpoint, latest first. A replay is kept for 30 days after its end.',
  params,
  query: z.strictObject({ limit: limit(100) }),
  responses: {
    200: {
      description: 'The replays.',
      body: z.strictObject({
        data: z.array(replay),
        has_more: z.boolean().meta({ description: 'Whether there are older ones than `limit` shows' }),
      }),
      example: { data: [example], has_more: false },
    },
  },
  errors: ['webhook_endpoint_not_found'],
});

const get = endpoint({
  ...common,
  operationId: 'getWebhookReplay',
  method: 'get',
  path: one,
  summary: 'Get a replay',
  description: 'The progress of a replay.',
  params: paramsOfOne,
  responses: { 200: { description: 'The replay.', body: replay, example } },
  errors: ofOne,
});

const cancel = endpoint({
  ...common,
  operationId: 'cancelWebhookReplay',
  method: 'post',
  path: `${one}/cancel`,
  summary: 'Cancel a replay',
  description: 'Ends a replay within seconds. It has no effect on a replay that has ended.',
  params: paramsOfOne,
  responses: {
    200: {
      description: 'The replay.',
      body: replay,
      example: { ...example, status: 'canceled', ended_at: '2026-11-20T09:32:00.000Z' },
    },
  },
  errors: ofOne,
});

export const webhookReplaysContract = { create, list, get, cancel };
