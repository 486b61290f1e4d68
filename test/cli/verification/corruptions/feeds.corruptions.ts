import {
  change,
  completedEvent,
  type Corruption,
  createdEvent,
  findsCompleted,
  findsPending,
  pendingRow,
} from './corruption';

const numbers = 'feed-numbers-follow';
const audience = 'feed-audience-served';
const ofEnvironment = 'environment-event-in-feed';

const wellFormed = 'environment-event-well-formed';
const recordEvent = (environmentId: number): string =>
  `INSERT INTO environment_events
   VALUES (${environmentId}, gen_random_uuid(), 'webhook_endpoint.recovered', now(), '{}',
           jsonb_build_object('endpoint_id', gen_random_uuid(), 'failing_since', NULL, 'disables_at', NULL,
                              'disabled_reason', NULL))`;
const changeEvent =
  (set: string): Corruption['sql'] =>
  ({ bankedEnvironmentId }) =>
    `UPDATE environment_events SET ${set} WHERE environment_id = ${bankedEnvironmentId}`;
/** The banked environment has the event of its link. */
const findsBanked = ({ bankedEnvironmentId }: Parameters<Corruption['finds']>[0]) => [
  { environment_id: bankedEnvironmentId },
];

const findsCopies = ({ bankEnvironmentId, completedByBank }: Parameters<Corruption['finds']>[0]) =>
  Array.from({ length: 2 }, () => ({
    environment_id: bankEnvironmentId,
    transaction_id: completedByBank,
  }));

export const feedPlants: readonly Corruption[] = [
  {
    check: 'event-in-feed',
    problem: 'it is neither queued nor in the feed',
    sql: (ids) => `UPDATE feed_events SET event_id = gen_random_uuid() WHERE ${completedEvent(ids)}`,
    finds: findsCompleted,
    also: ['contribution-totals-agree'],
  },
  {
    check: 'event-in-feed',
    problem: 'it is queued although the feed has it',
    sql: (ids) =>
      `INSERT INTO event_queue SELECT environment_id, event_id, recorded_at FROM events WHERE ${createdEvent(ids)}`,
    finds: findsPending,
    also: ['contribution-totals-agree'],
  },
  {
    check: ofEnvironment,
    problem: 'it is neither queued nor in the feed',
    sql: ({ bankedEnvironmentId }) => recordEvent(bankedEnvironmentId),
    finds: findsBanked,
  },
  {
    check: ofEnvironment,
    problem: 'it is queued although the feed has it',
    sql: ({ bankedEnvironmentId }) =>
      `INSERT INTO event_queue SELECT environment_id, event_id, recorded_at FROM environment_events
        WHERE environment_id = ${bankedEnvironmentId}`,
    finds: findsBanked,
  },
  {
    check: ofEnvironment,
    problem: 'it is in the feed, but its cause recorded no event',
    sql: ({ bankedEnvironmentId }) =>
      `DELETE FROM environment_events WHERE environment_id = ${bankedEnvironmentId}`,
    finds: findsBanked,
  },
  {
    check: 'queued-event-exists',
    problem: 'it is queued, but does not exist',
    sql: ({ bankedEnvironmentId }) =>
      `INSERT INTO event_queue VALUES (${bankedEnvironmentId}, gen_random_uuid(), now())`,
    finds: findsBanked,
  },
  {
    check: wellFormed,
    problem: 'its time is not finite',
    sql: changeEvent(`recorded_at = 'infinity'`),
    finds: findsBanked,
  },
  {
    check: wellFormed,
    problem: 'its data or its audience does not fit its type',
    sql: changeEvent(`data = data - 'linked_at'`),
    finds: findsBanked,
  },
  {
    check: wellFormed,
    problem: 'its audience was never a bank of its environment',
    sql: changeEvent(`audience = ARRAY[999999]`),
    finds: findsBanked,
  },
  {
    check: numbers,
    problem: 'its number does not follow the one before it',
    sql: change('feed_events', 'sequence = -1', createdEvent),
    finds: findsPending,
    also: ['contribution-totals-agree', 'webhook-retry-in-feed'],
  },
  {
    check: numbers,
    problem: 'it is the last event, but does not have the last number',
    sql: ({ bankEnvironmentId }) =>
      `UPDATE feeds SET last_sequence = last_sequence + 1 WHERE environment_id = ${bankEnvironmentId}`,
    finds: ({ bankEnvironmentId, completedByBank }) => [
      { environment_id: bankEnvironmentId, transaction_id: completedByBank },
    ],
  },
  {
    check: numbers,
    problem: 'it comes before the created event of its contribution',
    sql: (ids) =>
      `UPDATE feed_events SET type = CASE type WHEN 'contribution.created' THEN 'contribution.completion_refused'
                                               ELSE 'contribution.created' END WHERE ${pendingRow(ids)}`,
    finds: findsPending,
  },
  {
    check: audience,
    problem: 'it is missing from the feed of a bank',
    sql: ({ bankedEnvironmentId, completedByBank, environmentId }) =>
      `UPDATE feed_events SET audience = audience || ${environmentId}
        WHERE environment_id = ${bankedEnvironmentId} AND transaction_id = '${completedByBank}'
          AND type = 'contribution.created'`,
    finds: ({ environmentId, completedByBank }) => [
      { environment_id: environmentId, transaction_id: completedByBank },
    ],
  },
  {
    check: audience,
    problem: 'it is in the feed of a bank that may not have it',
    sql: ({ bankedEnvironmentId, completedByBank }) =>
      `UPDATE feed_events SET audience = '{}'
        WHERE environment_id = ${bankedEnvironmentId} AND transaction_id = '${completedByBank}'`,
    finds: findsCopies,
  },
];
