import type { Corruption } from './corruption';

const position = 'webhook-position-in-feed';
const retry = 'webhook-retry-in-feed';

const findsEndpoint: Corruption['finds'] = ({ environmentId }) => [{ environment_id: environmentId }];
/** The retry is of the created event of the pending contribution. */
const findsRetry: Corruption['finds'] = ({ environmentId, pending }) => [
  { environment_id: environmentId, transaction_id: pending },
];
const changeRetry =
  (set: string): Corruption['sql'] =>
  ({ environmentId }) =>
    `UPDATE webhook_retries SET ${set} WHERE environment_id = ${environmentId}`;

export const webhookPlants: readonly Corruption[] = [
  {
    check: position,
    problem: 'it is beyond the end of the feed',
    sql: ({ environmentId }) =>
      `UPDATE webhook_endpoints SET position = 1000000 WHERE environment_id = ${environmentId}`,
    finds: findsEndpoint,
  },
  {
    check: retry,
    problem: 'its endpoint does not exist',
    sql: changeRetry('endpoint_id = gen_random_uuid()'),
    finds: findsRetry,
  },
  {
    check: retry,
    problem: 'its event is not in the feed',
    sql: changeRetry('event_id = gen_random_uuid()'),
    finds: findsRetry,
  },
  {
    check: retry,
    problem: 'its event has another number or contribution',
    sql: changeRetry('sequence = sequence - 1'),
    finds: findsRetry,
  },
  {
    check: retry,
    problem: 'the position of its endpoint is before it',
    sql: ({ environmentId }) =>
      `UPDATE webhook_endpoints SET position = 0 WHERE environment_id = ${environmentId}`,
    finds: findsRetry,
  },
  {
    check: retry,
    problem: 'no earlier event delays it, but it never becomes due',
    sql: changeRetry("next_attempt_at = 'infinity'"),
    finds: findsRetry,
  },
  {
    check: retry,
    problem: 'it has more attempts than the limit',
    sql: changeRetry('attempts = 13'),
    finds: findsRetry,
  },
];
