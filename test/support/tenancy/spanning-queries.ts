/** The queries that read tenant data of all environments, each with the reason. */
export const spanningQueries: Readonly<Record<string, string>> = {
  list_sandbox_requests_to_trim: 'only the ids of environments, which are then trimmed one by one',
  list_webhook_attempts_to_trim: 'only the ids of environments, which are then trimmed one by one',
  list_webhook_deliveries_to_trim: 'only the ids of environments, which are then trimmed one by one',
  list_webhook_replays_to_trim: 'only the ids of environments, which are then trimmed one by one',
  count_failing_webhook_endpoints: 'two counts for the metrics',
  read_longest_webhook_replay_wait: 'the longest wait, for the metrics',
};
