CREATE OR REPLACE FUNCTION correct_contribution_of(
  _environment_id integer, _caller_id integer, _api_key text, _login text, _transaction_id text, _reason text,
  _completed_at timestamptz, _event_id uuid,
  OUT outcome text, OUT recorded_at timestamptz, OUT contribution_cents bigint
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Takes a completion back, because no money had moved: the one with this time, to the millisecond, or
-- without a time the only one so far. The actor is a key pair of the caller, or the
-- login of an operator, without a caller. Ends the user's support, appends an event and queues the
-- change of the project's figures. The outcomes:
-- corrected, replayed   recorded_at is the time of the correction
-- ambiguous             the request may be meant for an earlier completion
-- unknown               the caller cannot see such a transaction
-- not_completed         it is pending
-- reserved              another party completed it
-- has_returns           money moved: a return was recorded for it
DECLARE
  _found_id text;
  _user_id bigint;
  _project_id integer;
  _created_at timestamptz;
  _seen_completed_at timestamptz;
  _is_linked boolean;
  _was_completer boolean;
  _completed_by integer;
  _completion smallint;
  _corrected_at timestamptz;
  _recorded_at timestamptz;
  _supporters smallint;
BEGIN
  -- Reads one transaction whatever the id is, as complete_contribution_of does, so that the response
  -- time does not reveal whether another company has the id.
  SELECT t.transaction_id, t.user_id, t.project_id, t.created_at,
         CASE WHEN t.corrected_at IS NULL THEN t.completed_at END, t.completed_by_environment_id, t.amount_cents,
         EXISTS (SELECT FROM corrections c
                  WHERE c.environment_id = _environment_id AND c.transaction_id = t.transaction_id
                    AND c.completed_by_environment_id = _caller_id)
    FROM transactions t
   WHERE t.environment_id = _environment_id AND t.transaction_id <= _transaction_id
   ORDER BY t.transaction_id DESC
   LIMIT 1
    INTO _found_id, _user_id, _project_id, _created_at, _seen_completed_at, _completed_by, contribution_cents,
         _was_completer;
  SELECT COALESCE(bool_or(bank_sees(_created_at, _seen_completed_at, l.linked_at, l.unlinked_at)), false)
    FROM bank_links l
   WHERE l.environment_id = _environment_id AND l.bank_environment_id = _caller_id AND l.voided_at IS NULL
    INTO _is_linked;
  IF _found_id IS DISTINCT FROM _transaction_id
     OR (_api_key IS NOT NULL AND NOT (_environment_id = _caller_id OR _is_linked OR _was_completer
                                       OR _completed_by IS NOT DISTINCT FROM _caller_id)) THEN
    outcome := 'unknown';
    RETURN;
  ELSIF _completed_by IS NULL THEN
    outcome := 'not_completed';
    RETURN;
  ELSIF _api_key IS NOT NULL AND NOT (_was_completer OR _completed_by = _caller_id) THEN
    outcome := 'reserved';
    RETURN;
  END IF;

  -- Waits for concurrent completions, returns and corrections of this transaction.
  SELECT t.completed_by_environment_id, t.completion, t.corrected_at, date_trunc('milliseconds', t.completed_at)
    FROM transactions t
   WHERE t.environment_id = _environment_id AND t.transaction_id = _transaction_id
     FOR NO KEY UPDATE
    INTO _completed_by, _completion, _corrected_at, _recorded_at;

  -- A repeat never takes a later completion back. It names the completion, or has the actor and the
  -- reason of an earlier correction, or the completion that counts is corrected already.
  SELECT min(c.recorded_at) FROM corrections c
   WHERE c.environment_id = _environment_id AND c.transaction_id = _transaction_id
     AND CASE WHEN _completed_at IS NULL
              THEN c.reason = _reason AND c.actor_environment_id IS NOT DISTINCT FROM _caller_id
                   AND c.actor_login IS NOT DISTINCT FROM _login
              ELSE date_trunc('milliseconds', c.completed_at) = date_trunc('milliseconds', _completed_at) END
    INTO recorded_at;
  IF recorded_at IS NULL AND _completed_at IS NULL AND (_api_key IS NULL OR _completed_by = _caller_id) THEN
    recorded_at := _corrected_at;
  END IF;
  IF recorded_at IS NOT NULL THEN
    outcome := 'replayed';
    RETURN;
  ELSIF _api_key IS NOT NULL AND _completed_by <> _caller_id THEN
    outcome := 'reserved';
    RETURN;
  ELSIF (CASE WHEN _completed_at IS NULL THEN _api_key IS NOT NULL AND _completion > 1
             ELSE date_trunc('milliseconds', _completed_at) <> _recorded_at END) THEN
    outcome := 'ambiguous';
    RETURN;
  END IF;
  IF EXISTS (SELECT FROM money_returns r
              WHERE r.environment_id = _environment_id AND r.transaction_id = _transaction_id) THEN
    outcome := 'has_returns';
    RETURN;
  END IF;

  outcome := 'corrected';
  recorded_at := clock_timestamp();
  INSERT INTO corrections
    (environment_id, transaction_id, completion, completed_at, completed_by_environment_id, completed_by_api_key,
     bank_reference, value_date, reason, actor_environment_id, actor_api_key, actor_login, recorded_at)
  SELECT _environment_id, t.transaction_id, t.completion, t.completed_at, t.completed_by_environment_id,
         t.completed_by_api_key, t.bank_reference, t.value_date, _reason, _caller_id, _api_key, _login, recorded_at
    FROM transactions t
   WHERE t.environment_id = _environment_id AND t.transaction_id = _transaction_id;
  UPDATE transactions t SET corrected_at = recorded_at
   WHERE t.environment_id = _environment_id AND t.transaction_id = _transaction_id;
  _supporters := settle_support(_environment_id, _user_id, _project_id, recorded_at);
  INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters)
  VALUES (_environment_id, _project_id, -contribution_cents, _supporters);
  INSERT INTO events
    (environment_id, event_id, transaction_id, completion, type, actor_environment_id, actor_api_key, actor_login,
     evidence)
  SELECT _environment_id, _event_id, _transaction_id, _completion, 'contribution.corrected', _caller_id, _api_key,
         _login, jsonb_strip_nulls(jsonb_build_object('bank_reference', t.bank_reference, 'value_date', t.value_date))
    FROM transactions t
   WHERE t.environment_id = _environment_id AND t.transaction_id = _transaction_id;
  INSERT INTO event_queue (environment_id, event_id, queued_at) VALUES (_environment_id, _event_id, clock_timestamp());
END $$;
