CREATE OR REPLACE FUNCTION decide_entry(
  _environment_id integer, _entry_id uuid, _decision_id uuid, _action text, _allocations jsonb, _reason text,
  _api_key text, _seen integer DEFAULT NULL
) RETURNS text LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Appends a decision: 'appended'. 'same': it is the newest decision of the entry. 'superseded': a
-- newer one replaced it, or the newest one is not the one that the caller has seen (_seen, a number).
-- Null: the environment has no such entry.
DECLARE
  _number integer;
  _newest integer;
  _same integer;
BEGIN
  -- One decision of an environment at a time.
  UPDATE matching_progress p SET seen_decisions = p.seen_decisions WHERE p.environment_id = _environment_id
  RETURNING p.seen_decisions + 1 INTO _number;
  SELECT COALESCE(max(d.number) FILTER (WHERE NOT d.is_superseded), 0),
         max(d.number) FILTER (WHERE d.action = _action AND d.allocations = _allocations AND d.reason = _reason)
    FROM reconciliation_decisions d
   WHERE d.environment_id = _environment_id AND d.entry_id = _entry_id
    INTO _newest, _same;
  IF _same = _newest THEN
    RETURN 'same';
  END IF;
  IF _same IS NOT NULL OR _seen <> _newest THEN
    RETURN 'superseded';
  END IF;
  INSERT INTO reconciliation_decisions
    (environment_id, decision_id, number, entry_id, action, allocations, reason, decided_by_api_key, line_key,
     known_money)
  SELECT _environment_id, _decision_id, _number, e.entry_id, _action, _allocations, _reason, _api_key, e.line_key,
         CASE WHEN _action IN ('accept_difference', 'complete') THEN COALESCE((
           SELECT jsonb_object_agg(m.transaction_id, jsonb_build_array(m.gross_cents, m.returned_cents))
             FROM allocations a
             JOIN statement_money m ON m.environment_id = _environment_id AND m.transaction_id = a.transaction_id
            WHERE a.environment_id = _environment_id AND a.entry_id = _entry_id AND a.state = 'confirmed'), '{}') END
    FROM statement_entries e
   WHERE e.environment_id = _environment_id AND e.entry_id = _entry_id
     AND e.standing <> 'absent';
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  UPDATE matching_progress p SET seen_decisions = _number WHERE p.environment_id = _environment_id;
  RETURN 'appended';
END $$;
