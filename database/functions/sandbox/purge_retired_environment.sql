CREATE OR REPLACE FUNCTION purge_retired_environment(_environment_id integer, _most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  -- Deletes up to _most rows of a retired environment, and returns how many. With 0, none is left.
  -- The environment, its revoked key pairs and its ended links stay: other rows refer to them.
  DECLARE
    _count integer;
    _now timestamptz := clock_timestamp();
  BEGIN
    IF NOT EXISTS (SELECT FROM environments e
                    WHERE e.environment_id = _environment_id
                      AND e.retired_at < _now - interval '7 days') THEN
      RAISE EXCEPTION 'environment % was not retired seven days ago', _environment_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'environments_purged_after_seven_days', TABLE = 'environments';
    END IF;

  DELETE FROM webhook_attempts d
   WHERE d.environment_id = _environment_id AND (attempt_id) IN (
     SELECT attempt_id FROM webhook_attempts s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;
  DELETE FROM webhook_retries d
   WHERE d.environment_id = _environment_id AND (endpoint_id, event_id) IN (
     SELECT endpoint_id, event_id FROM webhook_retries s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM webhook_endpoints d
   WHERE d.environment_id = _environment_id AND (endpoint_id) IN (
     SELECT endpoint_id FROM webhook_endpoints s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;


  DELETE FROM reconciliation_decisions d
   WHERE d.environment_id = _environment_id AND (decision_id) IN (
     SELECT decision_id FROM reconciliation_decisions s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM settlement_lines d
   WHERE d.environment_id = _environment_id AND (reference, revision, transaction_id) IN (
     SELECT reference, revision, transaction_id FROM settlement_lines s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM settlement_lists d
   WHERE d.environment_id = _environment_id AND (reference, revision) IN (
     SELECT reference, revision FROM settlement_lists s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM entry_references d
   WHERE d.environment_id = _environment_id AND (reference, class_key) IN (
     SELECT reference, class_key FROM entry_references s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM matching_progress d
   WHERE d.environment_id = _environment_id AND (environment_id) IN (
     SELECT environment_id FROM matching_progress s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM allocations d
   WHERE d.environment_id = _environment_id AND (entry_id, transaction_id) IN (
     SELECT entry_id, transaction_id FROM allocations s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM statement_money d
   WHERE d.environment_id = _environment_id AND (transaction_id) IN (
     SELECT transaction_id FROM statement_money s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM statement_entries d
   WHERE d.environment_id = _environment_id AND (entry_id) IN (
     SELECT entry_id FROM statement_entries s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM entry_sources d
   WHERE d.environment_id = _environment_id AND (file_id, place) IN (
     SELECT file_id, place FROM entry_sources s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM statements d
   WHERE d.environment_id = _environment_id AND (file_id, number) IN (
     SELECT file_id, number FROM statements s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM statement_files d
   WHERE d.environment_id = _environment_id AND (file_id) IN (
     SELECT file_id FROM statement_files s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM statement_accounts d
   WHERE d.environment_id = _environment_id AND (account_id) IN (
     SELECT account_id FROM statement_accounts s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;
  DELETE FROM event_queue d
   WHERE d.environment_id = _environment_id AND (event_id) IN (
     SELECT event_id FROM event_queue s WHERE s.environment_id = _environment_id AND true LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM feed_events d
   WHERE d.environment_id = _environment_id AND (sequence) IN (
     SELECT sequence FROM feed_events s WHERE s.environment_id = _environment_id AND true LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM feeds d
   WHERE d.environment_id = _environment_id AND (environment_id) IN (
     SELECT environment_id FROM feeds s WHERE s.environment_id = _environment_id AND true LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM sandbox_faults d
   WHERE d.environment_id = _environment_id AND (operation, kind) IN (
     SELECT operation, kind FROM sandbox_faults s WHERE s.environment_id = _environment_id AND true LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM sandbox_requests d
   WHERE d.environment_id = _environment_id AND (received_at, entry_id) IN (
     SELECT received_at, entry_id FROM sandbox_requests s WHERE s.environment_id = _environment_id AND true LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM sandbox_settlements d
   WHERE d.environment_id = _environment_id AND (transaction_id, attempt) IN (
     SELECT transaction_id, attempt FROM sandbox_settlements s WHERE s.environment_id = _environment_id AND true LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM environment_events d
   WHERE d.environment_id = _environment_id AND (event_id) IN (
     SELECT event_id FROM environment_events s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM events d
   WHERE d.environment_id = _environment_id AND (event_id) IN (
     SELECT event_id FROM events s WHERE s.environment_id = _environment_id AND true LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM money_returns d
   WHERE d.environment_id = _environment_id AND (return_id) IN (
     SELECT return_id FROM money_returns s WHERE s.environment_id = _environment_id AND undoes IS NOT NULL LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM money_returns d
   WHERE d.environment_id = _environment_id AND (return_id) IN (
     SELECT return_id FROM money_returns s WHERE s.environment_id = _environment_id AND true LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM transactions d
   WHERE d.environment_id = _environment_id AND (transaction_id) IN (
     SELECT transaction_id FROM transactions s WHERE s.environment_id = _environment_id AND true LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM supports d
   WHERE d.environment_id = _environment_id AND (user_id, project_id) IN (
     SELECT user_id, project_id FROM supports s WHERE s.environment_id = _environment_id AND true LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM story_views d
   WHERE d.environment_id = _environment_id AND (user_id, project_id) IN (
     SELECT user_id, project_id FROM story_views s WHERE s.environment_id = _environment_id AND true LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM users d
   WHERE d.environment_id = _environment_id AND (user_id) IN (
     SELECT user_id FROM users s WHERE s.environment_id = _environment_id AND true LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

  DELETE FROM project_figure_changes d
   WHERE d.environment_id = _environment_id AND (change_id) IN (
     SELECT change_id FROM project_figure_changes s WHERE s.environment_id = _environment_id AND true LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;

    -- After the changes: what a process added up meanwhile is visible here.
    DELETE FROM project_figures f WHERE f.figures_scope = _environment_id;
    DELETE FROM contribution_totals c WHERE c.environment_id = _environment_id;
    DELETE FROM contribution_totals_counted c WHERE c.environment_id = _environment_id;
    UPDATE environments e SET purged_at = _now
     WHERE e.environment_id = _environment_id AND e.purged_at IS NULL;
    RETURN 0;
  END $$;
