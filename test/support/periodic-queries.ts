/** The names of queries that the service runs periodically, outside of requests. */
export const periodicQueries =
  /^(add_up_project_figures|read_horizon_of_totals|count_contributions|record_key_pair_use|list_live_key_pairs|find_due_statement_upload|list_expired_statement_uploads|list_account_days_with_work|list_outdated_days|list_changed_accounts|find_environment_to_count_positions|(claim|store)_count_of_open_positions|\/\* \w+ request_id=unknown \*\/[^]*|(list|skip_planned|log|trim)_sandbox_\w+)$/;
