CREATE OR REPLACE FUNCTION apply_return(
  _environment_id integer, _caller_id integer, _api_key text, _transaction_id text, _return_id uuid, _undoes uuid,
  _kind text, _code text, _amount_cents bigint, _bank_reference text, _value_date date, _now timestamptz,
  _event_id uuid
) RETURNS bigint LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Records a return or an undo that its caller has decided, having locked the transaction. Returns the
-- new returned amount, or null if it would exceed the amount of the contribution.
DECLARE
  _change_cents bigint := CASE WHEN _undoes IS NULL THEN _amount_cents ELSE -_amount_cents END;
  _user_id bigint;
  _project_id integer;
  _completion smallint;
  _returned_cents bigint;
  _supporters smallint;
BEGIN
  UPDATE transactions t SET returned_cents = t.returned_cents + _change_cents
   WHERE t.environment_id = _environment_id AND t.transaction_id = _transaction_id
     AND t.returned_cents + _change_cents <= t.amount_cents
  RETURNING t.returned_cents, t.user_id, t.project_id, t.completion
    INTO _returned_cents, _user_id, _project_id, _completion;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  INSERT INTO money_returns
    (environment_id, return_id, transaction_id, undoes, kind, code, amount_cents, bank_reference, value_date,
     recorded_by_environment_id, recorded_by_api_key, recorded_at)
  VALUES
    (_environment_id, _return_id, _transaction_id, _undoes, _kind, _code, _amount_cents, _bank_reference,
     _value_date, _caller_id, _api_key, _now);
  _supporters := settle_support(_environment_id, _user_id, _project_id, _now);
  INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters)
  VALUES (_environment_id, _project_id, -_change_cents, _supporters);

  INSERT INTO events
    (environment_id, event_id, transaction_id, completion, type, actor_environment_id, actor_api_key, evidence)
  VALUES
    (_environment_id, _event_id, _transaction_id, _completion,
     CASE WHEN _undoes IS NULL THEN 'contribution.returned' ELSE 'contribution.return_undone' END,
     _caller_id, _api_key,
     jsonb_strip_nulls(jsonb_build_object(
       'return_id', _return_id, 'undoes', _undoes, 'kind', _kind, 'code', _code, 'amount_cents', _amount_cents,
       'bank_reference', _bank_reference, 'value_date', _value_date)));
  INSERT INTO event_queue (environment_id, event_id, queued_at) VALUES (_environment_id, _event_id, clock_timestamp());
  RETURN _returned_cents;
END $$;
