CREATE OR REPLACE FUNCTION complete_contribution_of(
  _environment_id integer, _caller_id integer, _api_key text, _transaction_id text, _amount_cents bigint,
  _bank_reference text, _value_date date, _event_id uuid,
  OUT is_completed_now boolean, OUT was_completed_before boolean, OUT status_before text,
  OUT is_permitted boolean, OUT is_anothers boolean, OUT amount_differs boolean
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Completes a transaction of an environment, records the user's support, appends an event and queues
-- the change of the project's figures. A bank may complete what a link shows it. The company may
-- complete its own contribution unless a link reserves it for a bank, now or when it was created; the
-- party that completed it may always repeat that. After a correction, anyone who may complete it by
-- the links of today can complete it again.
-- status_before is pending, completed, undone (completed, and the net amount is zero), or barred: undone,
-- and the caller may not pay it again today, because its link ended or another party's began. A party that
-- completes an undone contribution again must prove a new payment by a bank reference that is not
-- recorded for it. Otherwise it is a repeat, which an operator has to look at.
-- The last four results are null if the caller cannot see such a transaction. If status_before is
-- pending and nothing else prevented the completion, but is_completed_now is false, a concurrent call
-- completed the transaction: call it again.
DECLARE
  _found_id text;
  _user_id bigint;
  _project_id integer;
  _recorded_cents bigint;
  _status text;
  _recorded_reference text;
  _recorded_value_date date;
  _created_at timestamptz;
  _recorded_at timestamptz;
  _completed_by integer;
  _is_own boolean;
  _is_linked boolean;
  _has_bank boolean;
  _has_link boolean;
  _completion smallint;
  _is_corrected boolean;
  _is_undone boolean := false;
  _returned_cents bigint;
  _was_completer boolean;
  _may_complete boolean;
  _is_new_reference boolean;
  _may_pay boolean;
  _is_new_payment boolean;
  _open record;
  _completed_at timestamptz;
  _is_remembered boolean;
  _is_new boolean := false;
  _event_type text;
BEGIN
  is_completed_now := false;
  was_completed_before := false;

  -- Changes no row, but takes the table lock for which wait_for_contribution_writers() waits, before
  -- this function reads the links and then the clock. A link that this function does not see therefore
  -- commits after this completion, and no link that began after completed_at commits before it.
  UPDATE transactions t SET status = t.status
   WHERE t.environment_id = _environment_id AND t.transaction_id IS NULL;

  -- Reads one transaction whatever the id is, the one with this id or the one before it, and decides
  -- about that one. The response time thus does not reveal whether another company has the id.
  SELECT t.transaction_id, t.user_id, t.project_id, t.amount_cents, t.status, t.created_at, t.completed_at,
         t.completed_by_environment_id, t.bank_reference, t.value_date, t.completion, t.corrected_at IS NOT NULL,
         t.corrected_at IS NOT NULL OR t.returned_cents = t.amount_cents,
         EXISTS (SELECT FROM corrections c
                  WHERE c.environment_id = _environment_id AND c.transaction_id = t.transaction_id
                    AND c.completed_by_environment_id = _caller_id)
    FROM transactions t
   WHERE t.environment_id = _environment_id AND t.transaction_id <= _transaction_id
   ORDER BY t.transaction_id DESC
   LIMIT 1
    INTO _found_id, _user_id, _project_id, _recorded_cents, _status, _created_at, _recorded_at,
         _completed_by, _recorded_reference, _recorded_value_date, _completion, _is_corrected, _is_undone,
         _was_completer;

  -- Links that show the transaction to the caller, and links that reserve its completion for a bank. A
  -- link that ends after this snapshot ends after this completion.
  SELECT COALESCE(bool_or(l.bank_environment_id = _caller_id
                          AND bank_sees(_created_at, CASE WHEN NOT _is_corrected THEN _recorded_at END,
                                    l.linked_at, l.unlinked_at)), false),
         COALESCE(bool_or(
           l.unlinked_at IS NULL OR (_created_at >= l.linked_at AND _created_at < l.unlinked_at)), false),
         _environment_id = _caller_id OR COALESCE(bool_or(l.bank_environment_id = _caller_id), false)
    FROM bank_links l
   WHERE l.environment_id = _environment_id AND l.voided_at IS NULL
    INTO _is_linked, _has_bank, _has_link;
  _is_own := _completed_by IS NOT DISTINCT FROM _caller_id;
  IF _found_id IS DISTINCT FROM _transaction_id
     OR NOT (_environment_id = _caller_id OR _is_own OR _was_completer OR _is_linked) THEN
    RETURN;
  END IF;
  IF _status = 'completed' THEN
    -- Waits for concurrent completions, returns and corrections, and decides about what they left. A
    -- row lock is a write, so a repeated response also waits for the synchronous standby.
    SELECT t.completion, t.completed_by_environment_id, t.bank_reference, t.value_date, t.corrected_at IS NOT NULL,
           t.corrected_at IS NOT NULL OR t.returned_cents = t.amount_cents, t.returned_cents
      FROM transactions t
     WHERE t.environment_id = _environment_id AND t.transaction_id = _transaction_id
       FOR NO KEY UPDATE
      INTO _completion, _completed_by, _recorded_reference, _recorded_value_date, _is_corrected, _is_undone,
           _returned_cents;
    _is_own := _completed_by = _caller_id;
  END IF;
  IF _is_undone THEN
    -- Again, because a correction may have committed while this call waited.
    _was_completer := EXISTS (SELECT FROM corrections c
                               WHERE c.environment_id = _environment_id AND c.transaction_id = _transaction_id
                                 AND c.completed_by_environment_id = _caller_id);
    -- A reference that an earlier request has stated proves no new payment: this may be its late retry.
    _is_new_reference := _bank_reference IS DISTINCT FROM _recorded_reference AND _bank_reference IS NOT NULL
      AND NOT EXISTS (SELECT FROM money_returns r
                       WHERE r.environment_id = _environment_id AND r.transaction_id = _transaction_id
                         AND r.bank_reference = _bank_reference)
      AND NOT EXISTS (SELECT FROM corrections c
                       WHERE c.environment_id = _environment_id AND c.transaction_id = _transaction_id
                         AND c.bank_reference = _bank_reference);
    -- A statement of its own: on Citus, a query on a shard cannot call a function that reads another one.
    IF _is_new_reference THEN
      _is_new_reference := NOT was_stated_in_repeat(_environment_id, _transaction_id, _bank_reference);
    END IF;
  END IF;
  _may_complete := CASE WHEN _environment_id = _caller_id THEN NOT _has_bank ELSE _is_linked END;
  -- A bank whose links were all voided records nothing new.
  _may_pay := CASE WHEN _is_corrected THEN _may_complete ELSE _has_link END;
  status_before := CASE WHEN NOT _is_undone THEN _status WHEN _may_pay THEN 'undone' ELSE 'barred' END;
  _is_new_payment := _is_undone AND _may_pay AND (_is_new_reference OR NOT (_is_own OR _was_completer));
  is_permitted := _environment_id <> _caller_id OR _is_own OR NOT _has_bank;
  is_anothers := _completed_by IS NOT NULL AND NOT _is_own AND NOT (_is_corrected AND _may_complete);
  amount_differs := COALESCE(_amount_cents <> _recorded_cents, false);

  IF NOT is_permitted THEN
    RETURN;
  ELSIF is_anothers THEN
    -- If the amount differs as well, the contest takes precedence. The evidence has the amount.
    _event_type := 'contribution.completion_contested';
  ELSIF amount_differs THEN
    _event_type := 'contribution.completion_refused';
  ELSIF _is_new_payment AND NOT _is_corrected THEN
    -- The lock of the row keeps other returns and undos away.
    FOR _open IN
      SELECT o.return_id, o.cents
        FROM (
          SELECT r.return_id, r.recorded_at, r.amount_cents - COALESCE((
                   SELECT sum(u.amount_cents) FROM money_returns u
                    WHERE u.environment_id = _environment_id AND u.undoes = r.return_id), 0)::bigint AS cents
            FROM money_returns r
           WHERE r.environment_id = _environment_id AND r.transaction_id = _transaction_id AND r.undoes IS NULL
        ) AS o
       WHERE o.cents > 0
       ORDER BY o.recorded_at, o.return_id
    LOOP
      PERFORM apply_return(
        _environment_id, _caller_id, _api_key, _transaction_id, gen_random_uuid(), _open.return_id, 'paid_again', NULL,
        _open.cents, _bank_reference, _value_date, clock_timestamp(), gen_random_uuid());
    END LOOP;
    is_completed_now := true;
    RETURN;
  ELSIF _status = 'completed' AND NOT _is_new_payment THEN
    was_completed_before := true;
    -- The late retry of a payment that was recorded as paid_again has no new evidence, unless a return
    -- is open.
    IF _is_undone
       OR (((_bank_reference IS NOT NULL AND _recorded_reference IS DISTINCT FROM _bank_reference)
            OR (_value_date IS NOT NULL AND _recorded_value_date IS DISTINCT FROM _value_date))
           AND NOT EXISTS (SELECT FROM money_returns r
                            WHERE r.environment_id = _environment_id AND r.transaction_id = _transaction_id
                              AND r.bank_reference = _bank_reference AND r.kind = 'paid_again'
                              AND _returned_cents = 0)) THEN
      _event_type := 'contribution.completion_repeated';
    ELSE
      RETURN;
    END IF;
  ELSE
    -- Waits for a concurrent completion of this row. If that one commits, nothing is updated, even if
    -- the completion is corrected by then.
    _completion := _completion + _is_corrected::integer;
    _completed_at := GREATEST(clock_timestamp(), _created_at);
    UPDATE transactions t
       SET status = 'completed', completed_at = _completed_at, completed_by_environment_id = _caller_id,
           completed_by_api_key = _api_key, bank_reference = _bank_reference, value_date = _value_date,
           completion = _completion, corrected_at = NULL
     WHERE t.environment_id = _environment_id AND t.transaction_id = _transaction_id
       AND t.status = _status AND (t.status = 'pending' OR t.corrected_at IS NOT NULL);
    IF NOT FOUND THEN
      RETURN;
    END IF;
    is_completed_now := true;
    _event_type := 'contribution.completed';

    -- The lock waits for a transaction that is forgetting this user, and then sees forgotten_at. One
    -- that begins later waits for this completion, and deletes the support.
    SELECT true FROM users u
     WHERE u.environment_id = _environment_id AND u.user_id = _user_id AND u.forgotten_at IS NULL
       FOR KEY SHARE
      INTO _is_remembered;
    IF _is_remembered THEN
      -- Waits for a completion that is inserting the same support, and then updates that one.
      INSERT INTO supports (environment_id, user_id, project_id, first_supported_at, last_supported_at)
      VALUES (_environment_id, _user_id, _project_id, _completed_at, _completed_at)
      ON CONFLICT ON CONSTRAINT supports_pkey DO NOTHING;
      _is_new := FOUND;
      IF NOT _is_new THEN
        UPDATE supports s
           SET last_supported_at = GREATEST(s.last_supported_at, _completed_at),
               first_supported_at = LEAST(s.first_supported_at, _completed_at)
         WHERE s.environment_id = _environment_id AND s.user_id = _user_id AND s.project_id = _project_id;
        -- The update has locked the row. A return of another contribution waits for this one.
        UPDATE supports s SET ended_at = NULL
         WHERE s.environment_id = _environment_id AND s.user_id = _user_id AND s.project_id = _project_id
           AND s.ended_at IS NOT NULL;
        _is_new := FOUND;
      END IF;
    END IF;
    INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters)
    VALUES (_environment_id, _project_id, _recorded_cents, _is_new::integer);
  END IF;

  INSERT INTO events
    (environment_id, event_id, transaction_id, completion, type, actor_environment_id, actor_api_key, evidence)
  VALUES
    (_environment_id, _event_id, _transaction_id, _completion, _event_type, _caller_id, _api_key,
     jsonb_strip_nulls(jsonb_build_object(
       'amount_cents', _amount_cents, 'bank_reference', _bank_reference, 'value_date', _value_date,
       'net_amount_is_zero', CASE WHEN _event_type = 'contribution.completion_repeated' THEN NULLIF(_is_undone, false) END)));
  INSERT INTO event_queue (environment_id, event_id, queued_at) VALUES (_environment_id, _event_id, clock_timestamp());
END $$;
