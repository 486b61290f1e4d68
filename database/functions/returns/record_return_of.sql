CREATE OR REPLACE FUNCTION record_return_of(
  _environment_id integer, _caller_id integer, _api_key text, _transaction_id text, _new_return_id uuid,
  _undoes uuid, _kind text, _code text, _amount_cents bigint, _bank_reference text, _value_date date,
  _event_id uuid,
  OUT outcome text, OUT return_id uuid, OUT recorded_code text, OUT recorded_value_date text,
  OUT recorded_at timestamptz, OUT contribution_cents bigint, OUT contribution_returned_cents bigint
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Records money that went back, or (if _undoes is not null) that a return was undone, in part or in
-- full. Updates the returned amount and the user's support, appends an event and queues the change
-- of the project's figures. The outcomes:
-- recorded, replayed    the other results describe the return
-- unknown               the caller cannot see such a transaction
-- not_completed, reserved, return_unknown, reference_reused, exceeds
DECLARE
  _found_id text;
  _user_id bigint;
  _project_id integer;
  _created_at timestamptz;
  _completed_at timestamptz;
  _completed_by integer;
  _linked_at timestamptz[];
  _unlinked_at timestamptz[];
  _is_linked boolean;
  _change_cents bigint := CASE WHEN _undoes IS NULL THEN _amount_cents ELSE -_amount_cents END;
  _earlier_cents bigint;
  _earlier_undoes uuid;
  _open_cents bigint;
  _is_remembered boolean;
  _is_supporter boolean;
  _supporters smallint := 0;
BEGIN
  -- Links of the caller, as they were when this function began. A completion or a link that commits
  -- later comes after this return.
  SELECT array_agg(l.linked_at), array_agg(l.unlinked_at)
    FROM bank_links l
   WHERE l.environment_id = _environment_id AND l.bank_environment_id = _caller_id
    INTO _linked_at, _unlinked_at;

  -- Reads one transaction whatever the id is, as complete_contribution_of does, so that the response
  -- time does not reveal whether another company has the id.
  SELECT t.transaction_id, t.user_id, t.project_id, t.created_at, t.completed_at, t.completed_by_environment_id,
         t.amount_cents
    FROM transactions t
   WHERE t.environment_id = _environment_id AND t.transaction_id <= _transaction_id
   ORDER BY t.transaction_id DESC
   LIMIT 1
    INTO _found_id, _user_id, _project_id, _created_at, _completed_at, _completed_by, contribution_cents;

  -- Only the environment that completed a transaction may record its returns, and that never changes.
  _is_linked := COALESCE((
    SELECT bool_or(bank_sees(_created_at, _completed_at, l.linked_at, l.unlinked_at))
      FROM unnest(_linked_at, _unlinked_at) AS l (linked_at, unlinked_at)), false);
  IF _found_id IS DISTINCT FROM _transaction_id
     OR NOT (_environment_id = _caller_id OR _is_linked OR _completed_by IS NOT DISTINCT FROM _caller_id) THEN
    outcome := 'unknown';
    RETURN;
  ELSIF _completed_by IS NULL THEN
    outcome := 'not_completed';
    RETURN;
  ELSIF _completed_by <> _caller_id THEN
    outcome := 'reserved';
    RETURN;
  END IF;

  -- Waits for a concurrent return of this transaction. The statements below see what it committed.
  -- A row lock is a write, so a repeated response also waits for the synchronous standby.
  SELECT t.returned_cents FROM transactions t
   WHERE t.environment_id = _environment_id AND t.transaction_id = _transaction_id
     FOR NO KEY UPDATE
    INTO contribution_returned_cents;

  SELECT r.return_id, r.amount_cents, r.undoes, r.code, r.value_date::text, r.recorded_at
    FROM money_returns r
   WHERE r.environment_id = _environment_id AND r.transaction_id = _transaction_id
     AND r.bank_reference = _bank_reference AND r.kind = _kind
    INTO return_id, _earlier_cents, _earlier_undoes, recorded_code, recorded_value_date, recorded_at;
  IF return_id IS NOT NULL THEN
    outcome := CASE WHEN _earlier_cents = _amount_cents AND _earlier_undoes IS NOT DISTINCT FROM _undoes
                    THEN 'replayed' ELSE 'reference_reused' END;
    RETURN;
  END IF;

  IF _undoes IS NOT NULL THEN
    SELECT r.amount_cents - COALESCE((
             SELECT sum(u.amount_cents) FROM money_returns u
              WHERE u.environment_id = _environment_id AND u.transaction_id = _transaction_id
                AND u.undoes = _undoes), 0)
      FROM money_returns r
     WHERE r.environment_id = _environment_id AND r.return_id = _undoes AND r.transaction_id = _transaction_id
       AND r.undoes IS NULL
      INTO _open_cents;
    IF _open_cents IS NULL THEN
      outcome := 'return_unknown';
      RETURN;
    ELSIF _amount_cents > _open_cents THEN
      outcome := 'exceeds';
      RETURN;
    END IF;
  END IF;

  UPDATE transactions t SET returned_cents = t.returned_cents + _change_cents
   WHERE t.environment_id = _environment_id AND t.transaction_id = _transaction_id
     AND t.returned_cents + _change_cents <= t.amount_cents
  RETURNING t.returned_cents INTO contribution_returned_cents;
  IF NOT FOUND THEN
    outcome := 'exceeds';
    RETURN;
  END IF;
  outcome := 'recorded';
  return_id := _new_return_id;
  recorded_code := _code;
  recorded_value_date := _value_date::text;
  recorded_at := clock_timestamp();
  INSERT INTO money_returns
    (environment_id, return_id, transaction_id, undoes, kind, code, amount_cents, bank_reference, value_date,
     recorded_by_environment_id, recorded_by_api_key, recorded_at)
  VALUES
    (_environment_id, _new_return_id, _transaction_id, _undoes, _kind, _code, _amount_cents, _bank_reference,
     _value_date, _caller_id, _api_key, recorded_at);

  -- Transaction, user, support: completions and the command that forgets a user lock in this order.
  SELECT true FROM users u
   WHERE u.environment_id = _environment_id AND u.user_id = _user_id AND u.forgotten_at IS NULL
     FOR KEY SHARE
    INTO _is_remembered;
  IF _is_remembered THEN
    -- Waits for returns and completions of the user's other contributions. The next statement sees
    -- what they committed. If the server's default isolation level forbids that, this update fails
    -- with serialization_failure. A row lock would not fail.
    UPDATE supports s SET ended_at = s.ended_at
     WHERE s.environment_id = _environment_id AND s.user_id = _user_id AND s.project_id = _project_id;
    SELECT EXISTS (
             SELECT FROM transactions t
              WHERE t.environment_id = _environment_id AND t.user_id = _user_id AND t.project_id = _project_id
                AND t.status = 'completed' AND t.returned_cents < t.amount_cents)
      INTO _is_supporter;
    UPDATE supports s
       SET ended_at = CASE WHEN NOT _is_supporter THEN GREATEST(recorded_at, s.last_supported_at) END
     WHERE s.environment_id = _environment_id AND s.user_id = _user_id AND s.project_id = _project_id
       AND (s.ended_at IS NULL) <> _is_supporter;
    IF FOUND THEN
      _supporters := CASE WHEN _is_supporter THEN 1 ELSE -1 END;
    END IF;
  END IF;
  INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters)
  VALUES (_environment_id, _project_id, -_change_cents, _supporters);

  INSERT INTO events
    (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence)
  VALUES
    (_environment_id, _event_id, _transaction_id,
     CASE WHEN _undoes IS NULL THEN 'contribution.returned' ELSE 'contribution.return_undone' END,
     _caller_id, _api_key,
     jsonb_strip_nulls(jsonb_build_object(
       'return_id', _new_return_id, 'undoes', _undoes, 'kind', _kind, 'code', _code, 'amount_cents', _amount_cents,
       'bank_reference', _bank_reference, 'value_date', _value_date)));
  INSERT INTO event_queue (environment_id, event_id, queued_at) VALUES (_environment_id, _event_id, clock_timestamp());
END $$;
