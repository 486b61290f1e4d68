-- What each role may do, in the order of tables/. The list is complete: a run revokes everything first.
-- contribution_service is the service. It gets single columns: exactly what its statements need.
-- contribution_operator is the group of the operators' logins. It may read whole tables, for verify and
-- exports, but never the HMAC of a secret. Neither role owns anything, so neither can disable a guard.
REVOKE CREATE ON SCHEMA public FROM PUBLIC, contribution_service, contribution_operator;
GRANT USAGE ON SCHEMA public TO contribution_service, contribution_operator;
REVOKE ALL ON
  companies, environments, bank_links, key_pairs, projects, project_highlights, stories, users, supports,
  story_views, transactions, corrections, money_returns, events, environment_events, event_queue, feeds, feed_events,
  project_figures, project_figure_changes, project_figures_turn,
  contribution_totals, contribution_totals_counted, contribution_totals_turn, sandbox_settings,
  sandbox_settlements, sandbox_faults, sandbox_requests, webhook_endpoints, webhook_retries, webhook_attempts,
  webhook_deliveries, webhook_replays, statement_uploads, statement_upload_chunks, statement_accounts,
  settlement_lists, settlement_lines,
  account_days, line_allocations, contribution_money, bank_statements,
  statement_days, statement_lines, line_exceptions, line_outcomes, line_references, line_decisions, day_choices, closed_months,
  comparing_progress, version_changes,
  account_rules, account_numbers, month_changes,
  operator_actions, knex_migrations, knex_migrations_lock,
  schema_functions
  FROM PUBLIC, contribution_service, contribution_operator;

-- Companies
GRANT SELECT (company_id, name, suspended_at, frozen_at) ON companies TO contribution_service;
GRANT SELECT, INSERT (company_id, name),
  UPDATE (name, suspended_at, frozen_at, frozen_reason) ON companies TO contribution_operator;
GRANT SELECT (environment_id, company_id, kind, transaction_tag, requests_per_second, completions_per_second,
    figures_scope, retired_at, purged_at)
  ON environments TO contribution_service;
GRANT SELECT,
  INSERT (company_id, kind, transaction_tag),
  UPDATE (requests_per_second, completions_per_second) ON environments TO contribution_operator;
GRANT SELECT (environment_id, bank_environment_id, linked_at, unlinked_at, voided_at)
  ON bank_links TO contribution_service;
GRANT SELECT,
  INSERT (environment_id, bank_environment_id, kind),
  UPDATE (unlinked_at, voided_at) ON bank_links TO contribution_operator;

-- Key pairs
GRANT SELECT (api_key, environment_id, secret_hmac, pepper_version, scopes, created_at, expires_at, revoked_at,
    last_used_at),
  UPDATE (last_used_at) ON key_pairs TO contribution_service;
GRANT SELECT (api_key, environment_id, pepper_version, scopes, slot, created_at, expires_at, issued_until,
    revoked_at, last_used_at),
  INSERT (api_key, environment_id, secret_hmac, pepper_version, scopes, slot, expires_at, issued_until),
  UPDATE (expires_at, revoked_at) ON key_pairs TO contribution_operator;

-- Catalogue
GRANT SELECT (project_id, project_name, project_image_url, summary, description, category, country,
    organization, goal_amount_cents, status, rank, published_story_numbers, created_at, updated_at)
  ON projects TO contribution_service;
GRANT SELECT,
  UPDATE,
  INSERT (external_reference, project_name, project_image_url, summary, description, category, country,
    organization, goal_amount_cents, status, rank)
  ON projects TO contribution_operator;
GRANT SELECT (project_id, position, title, body, image_url) ON project_highlights TO contribution_service;
GRANT SELECT,
  INSERT (project_id, position, title, body, image_url),
  DELETE ON project_highlights TO contribution_operator;
GRANT SELECT (story_id, project_id, story_number, title, body, image_url, status, published_at)
  ON stories TO contribution_service;
GRANT SELECT,
  UPDATE,
  INSERT (project_id, story_number, title, body, image_url, status, published_at)
  ON stories TO contribution_operator;

-- Users
GRANT SELECT (environment_id, user_id, user_hash, first_name, forgotten_at),
  INSERT (environment_id, user_hash, first_name),
  UPDATE (first_name) ON users TO contribution_service;
GRANT SELECT, UPDATE (user_hash, first_name, forgotten_at) ON users TO contribution_operator;
GRANT SELECT (environment_id, user_id, project_id, first_supported_at, last_supported_at, ended_at),
  INSERT (environment_id, user_id, project_id, first_supported_at, last_supported_at),
  UPDATE (first_supported_at, last_supported_at, ended_at) ON supports TO contribution_service;
GRANT SELECT, DELETE ON supports TO contribution_operator;
GRANT SELECT (environment_id, user_id, project_id, viewed_story_numbers),
  INSERT (environment_id, user_id, project_id, viewed_story_numbers),
  UPDATE (viewed_story_numbers) ON story_views TO contribution_service;
GRANT SELECT, DELETE ON story_views TO contribution_operator;

-- Contributions
GRANT SELECT (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status,
    idempotency_key, created_at, completed_at, completed_by_environment_id, completed_by_api_key, bank_reference,
    value_date, returned_cents, completion, corrected_at),
  INSERT (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status,
    idempotency_key, created_by_api_key, created_at),
  UPDATE (status, completed_at, completed_by_environment_id, completed_by_api_key, bank_reference, value_date,
    returned_cents, completion, corrected_at)
  ON transactions TO contribution_service;
GRANT SELECT ON transactions TO contribution_operator;
GRANT SELECT (environment_id, transaction_id, completed_at, completed_by_environment_id, bank_reference, reason,
    actor_environment_id, actor_login, recorded_at),
  INSERT (environment_id, transaction_id, completion, completed_at, completed_by_environment_id,
    completed_by_api_key, bank_reference, value_date, reason, actor_environment_id, actor_api_key, actor_login,
    recorded_at)
  ON corrections TO contribution_service;
GRANT SELECT ON corrections TO contribution_operator;
GRANT SELECT (environment_id, return_id, transaction_id, undoes, kind, code, amount_cents, bank_reference,
    value_date, recorded_at),
  INSERT (environment_id, return_id, transaction_id, undoes, kind, code, amount_cents, bank_reference,
    value_date, recorded_by_environment_id, recorded_by_api_key, recorded_at)
  ON money_returns TO contribution_service;
GRANT SELECT ON money_returns TO contribution_operator;

-- Events
GRANT INSERT (environment_id, event_id, transaction_id, completion, type, actor_environment_id, actor_api_key,
    actor_login, evidence)
  ON events TO contribution_service;
GRANT SELECT ON events TO contribution_operator;
GRANT SELECT ON environment_events TO contribution_operator;
GRANT SELECT (queued_at, retry_at), INSERT (environment_id, event_id, queued_at) ON event_queue TO contribution_service;
GRANT SELECT, UPDATE (failure_count, retry_at, problem) ON event_queue TO contribution_operator;
GRANT SELECT (environment_id, first_sequence, last_sequence) ON feeds TO contribution_service;
GRANT SELECT ON feeds TO contribution_operator;
GRANT SELECT (environment_id, sequence, event_id, transaction_id, type, recorded_at, written_at, data)
  ON feed_events TO contribution_service;
GRANT SELECT ON feed_events TO contribution_operator;

-- Project figures
GRANT SELECT (figures_scope, project_id, raised_cents, supporters_count),
  INSERT (figures_scope, project_id, raised_cents, supporters_count),
  UPDATE (raised_cents, supporters_count) ON project_figures TO contribution_service;
GRANT SELECT,
  INSERT (figures_scope, project_id, raised_cents, supporters_count),
  UPDATE (raised_cents, supporters_count) ON project_figures TO contribution_operator;
GRANT SELECT (environment_id, change_id, project_id, amount_cents, supporters, recorded_at),
  INSERT (environment_id, project_id, amount_cents, supporters),
  DELETE ON project_figure_changes TO contribution_service;
GRANT SELECT,
  INSERT (environment_id, project_id, amount_cents, supporters),
  DELETE ON project_figure_changes TO contribution_operator;
GRANT SELECT (only_row, taken_at), UPDATE (taken_at) ON project_figures_turn TO contribution_service;
GRANT SELECT, UPDATE (taken_at) ON project_figures_turn TO contribution_operator;

-- Totals
GRANT SELECT (environment_id, basis, day, project_id, completed_by_environment_id, created_since,
    completed_since, contributions, amount_cents, returned_cents)
  ON contribution_totals TO contribution_service;
GRANT SELECT ON contribution_totals TO contribution_operator;
GRANT SELECT ON contribution_totals_counted TO contribution_operator;
GRANT SELECT (only_row, complete_until) ON contribution_totals_turn TO contribution_service;
GRANT SELECT ON contribution_totals_turn TO contribution_operator;

-- Sandbox
GRANT SELECT (environment_id, settle_after_seconds, magic_amounts, planned_until),
  UPDATE (planned_until) ON sandbox_settings TO contribution_service;
GRANT SELECT (environment_id, transaction_id, attempt, due_at, amount_cents, bank_reference, value_date,
    id_is_mistyped, leased_until, done_at),
  INSERT (environment_id, transaction_id, attempt, due_at, amount_cents, bank_reference, value_date,
    id_is_mistyped, leased_until, done_at, outcome),
  UPDATE (leased_until, done_at, outcome) ON sandbox_settlements TO contribution_service;
GRANT SELECT (environment_id, operation, kind, times, times_left, delay_ms, armed_at, expires_at),
  INSERT (environment_id, operation, kind, times, times_left, delay_ms, armed_at, expires_at),
  UPDATE (times, times_left, delay_ms, armed_at, expires_at) ON sandbox_faults TO contribution_service;
GRANT SELECT (environment_id, received_at, entry_id, request_id, method, path, operation, status, error_code,
    duration_ms, api_key, idempotency_key, details),
  INSERT (environment_id, received_at, entry_id, request_id, method, path, operation, status, error_code,
    duration_ms, api_key, idempotency_key, details),
  DELETE ON sandbox_requests TO contribution_service;

-- Webhooks
GRANT SELECT (environment_id, endpoint_id, environment_kind, slot, url, types, description, created_at,
    updated_at, verified_at, disabled_at, disabled_reason, secret_version, key_version, previous_key_version,
    previous_secret_until, position, delivered_at, lease_id, leased_until, failure_count, failing_since,
    next_probe_at, probe_count, notice_count, secret_rotated_at, retries_checked_to, frees_retries),
  INSERT (environment_id, endpoint_id, environment_kind, slot, url, types, description, created_at,
    updated_at, secret_version, key_version, position, failure_count, probe_count, notice_count),
  UPDATE (url, types, description, updated_at, verified_at, disabled_at, disabled_reason, secret_version,
    key_version, previous_key_version, previous_secret_until, position, delivered_at, lease_id, leased_until,
    failure_count, failing_since, next_probe_at, probe_count, notice_count, secret_rotated_at,
    retries_checked_to, frees_retries),
  DELETE ON webhook_endpoints TO contribution_service;
GRANT SELECT,
  UPDATE (updated_at, disabled_at, disabled_reason, failure_count, failing_since, next_probe_at, probe_count,
    notice_count, retries_checked_to, frees_retries)
  ON webhook_endpoints TO contribution_operator;
GRANT SELECT (environment_id, endpoint_id, event_id, sequence, transaction_id, attempts, outage_attempts,
    next_attempt_at),
  INSERT (environment_id, endpoint_id, event_id, sequence, transaction_id, attempts, outage_attempts,
    next_attempt_at, created_at),
  UPDATE (attempts, outage_attempts, next_attempt_at),
  DELETE ON webhook_retries TO contribution_service;
GRANT SELECT ON webhook_retries TO contribution_operator;
GRANT SELECT (environment_id, attempt_id, endpoint_id, event_id, attempted_at, kind, attempt, outcome,
    failure, status, duration_ms, response),
  INSERT (environment_id, attempt_id, endpoint_id, event_id, attempted_at, kind, attempt, outcome, failure,
    status, duration_ms, response),
  DELETE ON webhook_attempts TO contribution_service;
GRANT SELECT ON webhook_attempts TO contribution_operator;
GRANT SELECT (environment_id, endpoint_id, first_attempt_id, kind, first_sequence, last_sequence, recorded_at,
    sequence_offsets, statuses, started_ms_ago, durations_ms),
  INSERT (environment_id, endpoint_id, first_attempt_id, kind, first_sequence, last_sequence, recorded_at,
    sequence_offsets, statuses, started_ms_ago, durations_ms),
  DELETE ON webhook_deliveries TO contribution_service;
GRANT SELECT ON webhook_deliveries TO contribution_operator;
GRANT SELECT (environment_id, replay_id, endpoint_id, from_sequence, to_sequence, types, selection,
    event_count, position, delivered_count, skipped_count, attempts, skipped_in_row, next_attempt_at,
    lease_id, leased_until, created_at, ended_at, outcome),
  INSERT (environment_id, replay_id, endpoint_id, from_sequence, to_sequence, types, selection, event_count,
    position, delivered_count, skipped_count, attempts, skipped_in_row, next_attempt_at, created_at),
  UPDATE (position, delivered_count, skipped_count, attempts, skipped_in_row, next_attempt_at, lease_id,
    leased_until, ended_at, outcome),
  DELETE ON webhook_replays TO contribution_service;
GRANT SELECT,
  INSERT (environment_id, replay_id, endpoint_id, from_sequence, to_sequence, types, selection, event_count,
    position, delivered_count, skipped_count, attempts, skipped_in_row, next_attempt_at, created_at),
  UPDATE (ended_at, outcome) ON webhook_replays TO contribution_operator;

-- Statements
GRANT SELECT (environment_id, upload_id, state, options_hmac, pepper_version, received_at, sha256, byte_count,
    chunk_count, attempts, claim_id, claimed_until, next_attempt_at, read_lines, reason, ended_at, format, version,
    statement_count, problems, voided_at, void_reason),
  INSERT (environment_id, upload_id, options_hmac, pepper_version),
  UPDATE (state, sha256, byte_count, chunk_count, attempts, claim_id, claimed_until, next_attempt_at, read_lines,
    reason, ended_at, format, version, statement_count, problems, voided_at, void_reason),
  DELETE ON statement_uploads TO contribution_service;
GRANT SELECT (environment_id, upload_id, number, sealed),
  INSERT (environment_id, upload_id, number, sealed),
  DELETE ON statement_upload_chunks TO contribution_service;
GRANT SELECT (environment_id, account_id, account_hmac, ending, direction, complete_coverage, grace_days,
    created_at, name, remembered_answer),
  INSERT (environment_id, account_id, account_hmac, ending, direction, name),
  UPDATE (direction, complete_coverage, grace_days, remembered_answer) ON statement_accounts TO contribution_service;
GRANT SELECT ON statement_accounts, statement_days, statement_lines, line_outcomes, line_allocations, contribution_money,
  version_changes TO contribution_operator;
GRANT SELECT, INSERT (environment_id, upload_id, options_hmac, pepper_version),
  UPDATE (state, sha256, byte_count, chunk_count, claim_id, claimed_until, next_attempt_at, ended_at, voided_at,
    void_reason),
  DELETE ON statement_uploads TO contribution_operator;
GRANT SELECT (environment_id, upload_id, number), INSERT (environment_id, upload_id, number, sealed),
  DELETE ON statement_upload_chunks TO contribution_operator;
GRANT SELECT, UPDATE (voided_at) ON bank_statements TO contribution_operator;
GRANT SELECT, INSERT (environment_id, account_id, day, is_changed),
  UPDATE (is_changed, waiting, generation, claimed_until) ON account_days TO contribution_operator;
GRANT SELECT (environment_id, account_id, number, entry_id, day, action, decided_by, decided_at) ON line_decisions
  TO contribution_operator;
GRANT SELECT (environment_id, account_id, day, number, kind, gap, decided_by, decided_at) ON day_choices
  TO contribution_operator;
GRANT SELECT (environment_id, decided_by, decided_at) ON account_rules TO contribution_operator;
GRANT SELECT, INSERT (environment_id, month, closed_at, closed_by), DELETE ON closed_months TO contribution_operator;
GRANT SELECT, INSERT (environment_id, month, number, kind, numbers, reason, changed_by)
  ON month_changes TO contribution_operator;
GRANT SELECT (environment_id, reference, revision, sha256),
  INSERT (environment_id, reference, revision, sha256, listed_by_api_key)
  ON settlement_lists TO contribution_service;
GRANT SELECT (environment_id, reference, revision, listed_by_api_key, listed_at) ON settlement_lists
  TO contribution_operator;
GRANT SELECT (environment_id, reference, transaction_id, amount_cents, revision),
  INSERT (environment_id, reference, transaction_id, amount_cents, revision)
  ON settlement_lines TO contribution_service;
GRANT SELECT (environment_id, reference, revision) ON settlement_lines TO contribution_operator;
GRANT SELECT (environment_id, account_id, day, statement_ids, opening_cents, closing_cents, change_cents, version,
    format, problem, summary, question, chosen_in, is_changed, generation, waiting, working, spreading, has_work,
    claimed_until, failures, rules),
  INSERT (environment_id, account_id, day, waiting, is_changed),
  UPDATE (statement_ids, version, format, problem, opening_cents, closing_cents, change_cents, summary, question,
    chosen_in, is_changed, generation, waiting, working, spreading, claimed_until, failures, failure, rules)
  ON account_days TO contribution_service;
GRANT SELECT (environment_id, account_id, day, generation, statement_id, number, kind),
  INSERT (environment_id, account_id, day, generation, statement_id, number, kind),
  DELETE ON line_exceptions TO contribution_service;
GRANT SELECT (environment_id, account_id, day, bucket, statement_id, number, part, state, replaced_by, entry_id,
    outcome, reason, is_decided, decision_entry_id, direction, amount_cents, charges_cents, reference, digest,
    content, occurrence, term, term_cents, fee_cents),
  INSERT (environment_id, account_id, day, bucket, statement_id, number, part, state, replaced_by, entry_id,
    outcome, reason, decision_entry_id, direction, amount_cents, charges_cents, reference, digest,
    content, occurrence, term, term_cents, fee_cents),
  DELETE ON line_outcomes TO contribution_service;
GRANT SELECT (environment_id, reference, account_id, day, bucket),
  INSERT (environment_id, reference, account_id, day, bucket) ON line_references TO contribution_service;
GRANT SELECT (environment_id, account_id, number, decision_id, entry_id, day, direction, amount_cents, reference,
    digest, content, occurrence, money_hash, can_move, action, allocations, reason, decided_by, decided_at),
  INSERT (environment_id, account_id, number, decision_id, entry_id, day, direction, amount_cents, reference,
    digest, content, occurrence, money_hash, can_move, action, allocations, reason, decided_by)
  ON line_decisions TO contribution_service;
GRANT SELECT (environment_id, account_id, day, number, kind, version, gap, among, reason, decided_by, decided_at),
  INSERT (environment_id, account_id, day, number, kind, version, gap, among, reason, decided_by)
  ON day_choices TO contribution_service;
GRANT SELECT (environment_id, account_id, day, changed_at),
  INSERT (environment_id, account_id, day, generation, version_before, version_after, lines_gone, lines_added)
  ON version_changes TO contribution_service;
GRANT SELECT (environment_id, sequence, list_revision, link_changes, claimed_until, open_7_to_14_days,
    open_14_to_30_days, open_over_30_days, positions_due_at),
  INSERT (environment_id, sequence, list_revision, link_changes),
  UPDATE (sequence, list_revision, link_changes, claimed_until, open_7_to_14_days, open_14_to_30_days,
    open_over_30_days, positions_due_at) ON comparing_progress TO contribution_service;
GRANT SELECT (environment_id, open_7_to_14_days, open_14_to_30_days, open_over_30_days, positions_due_at)
  ON comparing_progress TO contribution_operator;
GRANT SELECT (environment_id, month, closed_at), INSERT (environment_id, month, closed_at, closed_by),
  DELETE ON closed_months TO contribution_service;
GRANT SELECT (environment_id, month, number, kind, numbers, reason, changed_by, changed_at),
  INSERT (environment_id, month, number, kind, numbers, reason, changed_by) ON month_changes TO contribution_service;
GRANT SELECT (environment_id, account_id, number, direction, code, outcome, reason, decided_by, decided_at),
  INSERT (environment_id, account_id, number, direction, code, outcome, reason, decided_by, decided_at)
  ON account_rules TO contribution_service;
GRANT SELECT (environment_id, account_hmac, account_id, decided_at),
  INSERT (environment_id, account_hmac, account_id, reason, decided_by), DELETE ON account_numbers TO contribution_service;
GRANT SELECT ON account_numbers TO contribution_operator;
GRANT SELECT (environment_id, account_id, day, bucket, entry_id, transaction_id, transaction_environment_id, kind,
    amount_cents, charges_cents, expected_cents, confidence, state),
  INSERT (environment_id, account_id, day, bucket, entry_id, transaction_id, transaction_environment_id, kind,
    amount_cents, charges_cents, expected_cents, confidence, state),
  DELETE ON line_allocations TO contribution_service;
GRANT SELECT (environment_id, transaction_id, transaction_environment_id, gross_cents, returned_cents,
    other_gross_cents, other_returned_cents, charges_cents, accepted_at),
  INSERT (environment_id, transaction_id, transaction_environment_id, expected_cents),
  UPDATE (gross_cents, returned_cents, other_gross_cents, other_returned_cents, charges_cents, accepted_at)
  ON contribution_money TO contribution_service;
GRANT SELECT (environment_id, statement_id, file_id, account_id, format, is_final, bank_id, number, made_at, first_day,
    last_day, start_ms, end_ms, is_period_stated, covers_to, opening_cents, closing_cents, change_cents,
    is_damaged, page_number, is_last_page, digest, voided_at),
  INSERT (environment_id, statement_id, file_id, account_id, format, is_final, bank_id, number, made_at,
    first_day, last_day, start_ms, end_ms, is_period_stated, covers_to, opening_cents, closing_cents,
    change_cents, is_damaged, page_number, is_last_page, digest),
  UPDATE (voided_at) ON bank_statements TO contribution_service;
GRANT SELECT (environment_id, account_id, day, statement_id, before_cents, change_cents),
  INSERT (environment_id, account_id, day, statement_id, before_cents, change_cents)
  ON statement_days TO contribution_service;
GRANT SELECT (environment_id, account_id, statement_id, number, day, bucket, direction, amount_cents,
    charges_cents, stated_cents, reference, ids, problem, content, digest, own_day, return_code, code, search,
    batch_cents, is_part, money_hash, batch_hash),
  INSERT (environment_id, account_id, statement_id, number, day, bucket, direction, amount_cents,
    charges_cents, stated_cents, reference, ids, problem, content, digest, own_day, return_code, code, search,
    batch_cents, is_part, money_hash, batch_hash)
  ON statement_lines TO contribution_service;

-- Audit
GRANT SELECT ON operator_actions TO contribution_operator;

-- Migrations, and what was applied of this folder
GRANT SELECT (id, name) ON knex_migrations TO contribution_service;
GRANT SELECT ON knex_migrations TO contribution_operator;
GRANT SELECT (file, sha256) ON schema_functions TO contribution_service;
GRANT SELECT ON schema_functions TO contribution_operator;

-- Functions
REVOKE ALL ON FUNCTION
  bank_sees, is_purgeable, key_pair_is_live, company_name_skeleton, add_webhook_endpoint, append_environment_event,
  append_reset_events, append_to_feed, apply_return, check_webhook_retries, claim_webhook_endpoint, complete_contribution, complete_contribution_of,
  complete_contributions, complete_contributions_of, contribution_writers, correct_contribution,
  correct_contribution_as_operator, correct_contribution_of, count_contributions,
  count_contributions_of, count_open_disputes, create_contribution, delete_company, disable_webhook_endpoint,
  disputed_events, drop_queued_event,
  environment_event_problem, expire_feed_events, free_next_webhook_retries, operator_action_hash, purge_retired_environment, put_day_chunk, publish_statements, publish_upload, choose_day_version,
  spread_day_chunk, mark_days_of_references, mark_all_days, add_account_number, answer_day, close_month, decide_lines, month_numbers, reopen_month, set_account_rule,
  remove_account_number, set_account_settings,
  put_settlement_list,
  record_operator_action, record_return, record_return_of, relay_events,
  relay_events_of, relay_events_singly, require_argument, reset_sandbox, set_sandbox_settings, settle_support, settle_webhook_batch,
  settle_webhook_retries, take_queued_events, visibility_horizon_of, void_statements, wait_for_contribution_writers,
  was_stated_in_repeat
  FROM PUBLIC, contribution_service, contribution_operator;
GRANT EXECUTE ON FUNCTION
  bank_sees, key_pair_is_live, add_webhook_endpoint, append_environment_event, append_reset_events, apply_return, check_webhook_retries,
  claim_webhook_endpoint, complete_contribution, complete_contribution_of, complete_contributions,
  complete_contributions_of, correct_contribution, correct_contribution_of, count_contributions, count_open_disputes, create_contribution, expire_feed_events,
  free_next_webhook_retries, choose_day_version, mark_days_of_references, mark_all_days, publish_statements, publish_upload, put_day_chunk,
  spread_day_chunk, add_account_number, answer_day, close_month, decide_lines, month_numbers, reopen_month, set_account_rule,
  remove_account_number, set_account_settings,
  put_settlement_list, record_return, record_return_of,
  relay_events, reset_sandbox, set_sandbox_settings, settle_support, settle_webhook_batch,
  settle_webhook_retries, visibility_horizon_of, void_statements, was_stated_in_repeat
  TO contribution_service;
GRANT EXECUTE ON FUNCTION
  bank_sees, is_purgeable, key_pair_is_live, company_name_skeleton, append_environment_event, contribution_writers,
  correct_contribution_as_operator, delete_company, disable_webhook_endpoint, disputed_events, drop_queued_event, environment_event_problem, purge_retired_environment,
  close_month, month_numbers, record_operator_action, reopen_month, visibility_horizon_of, void_statements,
  wait_for_contribution_writers
  TO contribution_operator;
