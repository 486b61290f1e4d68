/** The names of queries that the service runs periodically, outside of requests. */
export const periodicQueries =
  /^(add_up_project_figures|read_horizon_of_totals|count_contributions|record_key_pair_use|list_live_key_pairs|list_unmatched_files|list_outdated_files|list_changed_environments|see_matching_changes|read_waiting_entry_classes|match_statement_files_again|finish_matching_changes|find_environment_to_count_positions|(claim|store)_count_of_open_positions|\/\* \w+ request_id=unknown \*\/[^]*|(list|skip_planned|log|trim)_sandbox_\w+)$/;
