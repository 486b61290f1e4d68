/** The queries that read tenant data of all environments, each with the reason. */
export const spanningQueries: Readonly<Record<string, string>> = {
  list_sandbox_requests_to_trim: 'only the ids of environments, which are then trimmed one by one',
  list_webhook_attempts_to_trim: 'only the ids of environments, which are then trimmed one by one',
  list_webhook_deliveries_to_trim: 'only the ids of environments, which are then trimmed one by one',
  list_webhook_replays_to_trim: 'only the ids of environments, which are then trimmed one by one',
  find_environment_to_count_positions: 'only the id of an environment, whose positions are then counted',
  list_account_days_with_work: 'only the keys of days, which are then claimed one by one',
  list_outdated_days: 'only the keys of days, which are then queued one by one',
  count_failing_webhook_endpoints: 'two counts for the metrics',
  count_failed_days: 'a count for the metrics',
  read_oldest_unread_upload: 'the age of the oldest upload, for the metrics',
  read_longest_webhook_replay_wait: 'the longest wait, for the metrics',
};
