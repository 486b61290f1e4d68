CREATE OR REPLACE FUNCTION purge_retired_environment(_environment_id integer, _most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
-- Deletes up to _most rows of a retired environment, and returns how many. With 0, none is left.
-- The environment, its revoked key pairs and its ended links stay: other rows refer to them.
DECLARE
  _table text;
  _condition text;
  _key text;
  _count integer;
  _now timestamptz;
BEGIN
  -- With fewer than one, it would delete nothing and record that nothing is left.
  PERFORM require_argument(
    _most BETWEEN 1 AND 100000, 'purge_retired_environment_most', '_most is from 1 to 100,000');
  IF NOT EXISTS (SELECT FROM environments e
                  WHERE e.environment_id = _environment_id AND is_purgeable(e.retired_at)) THEN
    RAISE EXCEPTION 'environment % was not retired seven days ago', _environment_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'environments_purged_after_seven_days', TABLE = 'environments';
  END IF;

  -- In an order that the foreign keys allow. The names are constants, and the key comes from the catalog.
  FOR _table, _condition IN VALUES
    ('webhook_attempts', 'true'), ('webhook_deliveries', 'true'), ('webhook_retries', 'true'),
    ('webhook_endpoints', 'true'), ('statement_upload_chunks', 'true'), ('statement_uploads', 'true'),
    ('settlement_lines', 'true'), ('settlement_lists', 'true'), ('line_allocations', 'true'),
    ('line_outcomes', 'true'), ('line_exceptions', 'true'), ('line_references', 'true'),
    ('line_decisions', 'true'), ('day_choices', 'true'), ('closed_months', 'true'), ('comparing_progress', 'true'), ('version_changes', 'true'),
    ('month_changes', 'true'), ('account_rules', 'true'), ('account_numbers', 'true'),
    ('account_days', 'true'), ('contribution_money', 'true'), ('statement_days', 'true'),
    ('bank_statements', 'true'), ('statement_lines', 'true'),
    ('statement_accounts', 'true'), ('event_queue', 'true'), ('feed_events', 'true'),
    ('feeds', 'true'), ('sandbox_faults', 'true'), ('sandbox_requests', 'true'), ('sandbox_settlements', 'true'),
    ('environment_events', 'true'), ('events', 'true'),
    -- An undo refers to its return.
    ('money_returns', 'undoes IS NOT NULL'), ('money_returns', 'true'), ('corrections', 'true'),
    ('transactions', 'true'),
    ('supports', 'true'), ('story_views', 'true'), ('users', 'true'), ('project_figure_changes', 'true')
  LOOP
    SELECT string_agg(quote_ident(a.attname), ', ') FROM pg_index i
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
     WHERE i.indrelid = _table::regclass AND i.indisprimary
      INTO _key;
    EXECUTE format(
      'DELETE FROM %1$I d WHERE d.environment_id = $1 AND (%2$s) IN (
         SELECT %2$s FROM %1$I s WHERE s.environment_id = $1 AND %3$s LIMIT $2)', _table, _key, _condition)
      USING _environment_id, _most;
    GET DIAGNOSTICS _count = ROW_COUNT;
    IF _count > 0 THEN
      RETURN _count;
    END IF;
  END LOOP;

  -- After the changes: what a process added up meanwhile is visible here.
  DELETE FROM project_figures f WHERE f.figures_scope = _environment_id;
  DELETE FROM contribution_totals c WHERE c.environment_id = _environment_id;
  DELETE FROM contribution_totals_counted c WHERE c.environment_id = _environment_id;
  _now := clock_timestamp();
  UPDATE environments e SET purged_at = _now
   WHERE e.environment_id = _environment_id AND e.purged_at IS NULL;
  RETURN 0;
END $$;
