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
-- not_completed         it is pending, or its completion was corrected
-- reserved, return_unknown, reference_reused, exceeds
DECLARE
  _found_id text;
  _created_at timestamptz;
  _completed_at timestamptz;
  _completed_by integer;
  _linked_at timestamptz[];
  _unlinked_at timestamptz[];
  _is_linked boolean;
  _earlier_cents bigint;
  _earlier_undoes uuid;
  _open_cents bigint;
  _is_corrected boolean;
  _returned_cents bigint;
BEGIN
  -- As in complete_contribution_of: a link that this function sees is not voided before it commits.
  UPDATE transactions t SET status = t.status
   WHERE t.environment_id = _environment_id AND t.transaction_id IS NULL;

  -- Links of the caller, as they were when this function began. A completion or a link that commits
  -- later comes after this return.
  SELECT array_agg(l.linked_at), array_agg(l.unlinked_at)
    FROM bank_links l
   WHERE l.environment_id = _environment_id AND l.bank_environment_id = _caller_id AND l.voided_at IS NULL
    INTO _linked_at, _unlinked_at;

  -- Reads one transaction whatever the id is, as complete_contribution_of does, so that the response
  -- time does not reveal whether another company has the id.
  SELECT t.transaction_id, t.created_at,
         CASE WHEN t.corrected_at IS NULL THEN t.completed_at END, t.completed_by_environment_id, t.amount_cents
    FROM transactions t
   WHERE t.environment_id = _environment_id AND t.transaction_id <= _transaction_id
   ORDER BY t.transaction_id DESC
   LIMIT 1
    INTO _found_id, _created_at, _completed_at, _completed_by, contribution_cents;

  -- Only the environment that completed a transaction may record its returns.
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
  SELECT t.returned_cents, t.completed_by_environment_id, t.corrected_at IS NOT NULL
    FROM transactions t
   WHERE t.environment_id = _environment_id AND t.transaction_id = _transaction_id
     FOR NO KEY UPDATE
    INTO contribution_returned_cents, _completed_by, _is_corrected;
  IF _completed_by <> _caller_id THEN
    outcome := 'reserved';
    RETURN;
  ELSIF _is_corrected THEN
    outcome := 'not_completed';
    RETURN;
  END IF;

  SELECT r.return_id, r.amount_cents, r.undoes, r.code, r.value_date::text, r.recorded_at
    FROM money_returns r
   WHERE r.environment_id = _environment_id AND r.transaction_id = _transaction_id
     AND r.bank_reference = _bank_reference AND r.kind = _kind
   ORDER BY (r.undoes IS NOT DISTINCT FROM _undoes) DESC
   LIMIT 1
    INTO return_id, _earlier_cents, _earlier_undoes, recorded_code, recorded_value_date, recorded_at;
  IF return_id IS NOT NULL THEN
    outcome := CASE WHEN _earlier_cents = _amount_cents AND _earlier_undoes IS NOT DISTINCT FROM _undoes
                    THEN 'replayed' ELSE 'reference_reused' END;
    RETURN;
  END IF;

  -- All links of this bank were voided. It keeps its completions, but records nothing new.
  IF _caller_id <> _environment_id AND _linked_at IS NULL THEN
    outcome := 'reserved';
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

  recorded_at := clock_timestamp();
  SELECT apply_return(
           _environment_id, _caller_id, _api_key, _transaction_id, _new_return_id, _undoes, _kind, _code, _amount_cents,
           _bank_reference, _value_date, recorded_at, _event_id)
    INTO _returned_cents;
  IF _returned_cents IS NULL THEN
    outcome := 'exceeds';
    recorded_at := NULL;
    RETURN;
  END IF;
  outcome := 'recorded';
  return_id := _new_return_id;
  recorded_code := _code;
  recorded_value_date := _value_date::text;
  contribution_returned_cents := _returned_cents;
END $$;
