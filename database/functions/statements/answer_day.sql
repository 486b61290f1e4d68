CREATE OR REPLACE FUNCTION answer_day(
  _environment_id integer, _account_id uuid, _day date, _answer jsonb, _decided_by text
) RETURNS text LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Appends an answer to a question about a day, and chooses the version of the day again. An answer that names
-- versions is about all days of their statements, because a statement is chosen as a whole; 'undo' takes it back
-- on all of them. Closed months are left out. `remember`, if given,
-- is the answer that the account remembers, or 'nothing': days with several statements are chosen again.
-- Returns 'answered', or why not: 'no_day', 'month_closed', 'same' (it is the newest answer), 'question_changed'
-- (the question is not the one that the caller has seen), 'nothing_to_undo'.
DECLARE
  _kind CONSTANT text := _answer ->> 'kind';
  _remember CONSTANT text := _answer ->> 'remember';
  _days date[] := ARRAY[_day];
  _now record;
  _newest record;
  _is_asked boolean;
BEGIN
  -- One answer of an account at a time. Days are locked in their order, so that two processes never wait for
  -- each other.
  PERFORM FROM statement_accounts a
    WHERE a.environment_id = _environment_id AND a.account_id = _account_id FOR NO KEY UPDATE;
  IF _kind = 'undo' THEN
    -- One answer has one time on all of its days.
    SELECT array_agg(DISTINCT o.day) FROM day_choices o
     WHERE o.environment_id = _environment_id AND o.account_id = _account_id AND o.decided_at = (
       SELECT c.decided_at FROM day_choices c
        WHERE c.environment_id = _environment_id AND c.account_id = _account_id AND c.day = _day
        ORDER BY c.number DESC LIMIT 1)
      INTO _days;
  ELSIF _kind <> 'accept' THEN
    SELECT array_agg(DISTINCT s.day) FROM statement_days s
     WHERE s.environment_id = _environment_id AND s.account_id = _account_id AND s.statement_id IN (
       SELECT unnest(d.statement_ids) FROM account_days d
        WHERE d.environment_id = _environment_id AND d.account_id = _account_id AND d.day = _day
        UNION
       SELECT i.id::uuid
         FROM account_days d, jsonb_array_elements(d.summary -> 'choices') AS c,
              jsonb_array_elements_text(c -> 'statementIds') AS i (id)
        WHERE d.environment_id = _environment_id AND d.account_id = _account_id AND d.day = _day)
      INTO _days;
  END IF;
  _days := _days || _day;
  PERFORM FROM account_days d
    WHERE d.environment_id = _environment_id AND d.account_id = _account_id
      AND (d.day = ANY (_days) OR _remember IS NOT NULL)
    ORDER BY d.day
      FOR NO KEY UPDATE;
  SELECT d.question, d.version, d.opening_cents, d.summary -> 'hasGap' = 'true' AS has_gap,
         EXISTS (SELECT FROM closed_months m
                  WHERE m.environment_id = _environment_id
                    AND m.month = date_trunc('month', _day::timestamp)::date) AS is_closed
    FROM account_days d
   WHERE d.environment_id = _environment_id AND d.account_id = _account_id AND d.day = _day
    INTO _now;
  IF NOT FOUND THEN
    RETURN 'no_day';
  END IF;
  SELECT c.* FROM day_choices c
   WHERE c.environment_id = _environment_id AND c.account_id = _account_id AND c.day = _day
   ORDER BY c.number DESC LIMIT 1
    INTO _newest;
  IF (_newest.kind, _newest.reason) = (_kind, _answer ->> 'reason')
     AND (_newest.version, _newest.gap) IS NOT DISTINCT FROM (_answer ->> 'version', _answer ->> 'gap')
     AND _newest.among = ARRAY(SELECT jsonb_array_elements_text(_answer -> 'among'))
     AND (_remember IS NULL OR NULLIF(_remember, 'nothing') IS NOT DISTINCT FROM (
       SELECT a.remembered_answer FROM statement_accounts a
        WHERE a.environment_id = _environment_id AND a.account_id = _account_id)) THEN
    RETURN 'same';
  END IF;
  IF _now.is_closed THEN
    RETURN 'month_closed';
  END IF;
  IF _kind = 'undo' AND _remember IS NULL AND (_newest.number IS NULL OR _newest.kind = 'undo') THEN
    RETURN 'nothing_to_undo';
  END IF;
  -- A question is named by its versions, or by the balances that do not follow each other: see `between` of
  -- DayQuestion.
  _is_asked := CASE
    WHEN _kind = 'undo' THEN true
    WHEN _kind = 'accept' THEN _now.version = _answer ->> 'gap' AND _now.has_gap OR _answer ->> 'gap' = (
      SELECT concat_ws(' ', b.day::text, COALESCE(b.closing_cents::text, 'null'), COALESCE(_now.opening_cents::text, 'null'))
        FROM account_days b
       WHERE b.environment_id = _environment_id AND b.account_id = _account_id AND b.day < _day
         AND b.version IS NOT NULL
       ORDER BY b.day DESC LIMIT 1)
    ELSE _now.question -> 'versions' = _answer -> 'among'
     AND CASE WHEN _kind = 'use_anyway' THEN _now.question ->> 'kind' IN ('unbalanced', 'incomplete')
              ELSE _now.question ->> 'kind' = 'two_versions' END
     AND (_kind = 'all_lines' OR _now.question -> 'versions' ? (_answer ->> 'version'))
  END;
  IF _is_asked IS NOT TRUE THEN
    RETURN 'question_changed';
  END IF;
  INSERT INTO day_choices (environment_id, account_id, day, number, kind, version, gap, among, reason, decided_by)
  SELECT _environment_id, _account_id, d.day, COALESCE((
           SELECT max(c.number) FROM day_choices c
            WHERE c.environment_id = _environment_id AND c.account_id = _account_id AND c.day = d.day), 0) + 1,
         _kind, _answer ->> 'version', _answer ->> 'gap',
         ARRAY(SELECT jsonb_array_elements_text(_answer -> 'among')), _answer ->> 'reason', _decided_by
    FROM account_days d
   WHERE d.environment_id = _environment_id AND d.account_id = _account_id AND d.day = ANY (_days)
     AND NOT EXISTS (SELECT FROM closed_months m
                      WHERE m.environment_id = _environment_id
                        AND m.month = date_trunc('month', d.day::timestamp)::date);
  UPDATE statement_accounts a SET remembered_answer = NULLIF(_remember, 'nothing')
   WHERE a.environment_id = _environment_id AND a.account_id = _account_id AND _remember IS NOT NULL;
  -- The next generation, so that a process that compares the day stores nothing any more.
  UPDATE account_days d SET is_changed = true, generation = d.generation + 1, claimed_until = NULL
   WHERE d.environment_id = _environment_id AND d.account_id = _account_id
     AND (d.day = ANY (_days) OR _remember IS NOT NULL AND (
       SELECT count(*) FROM statement_days s
        WHERE s.environment_id = _environment_id AND s.account_id = _account_id AND s.day = d.day) > 1)
     AND NOT EXISTS (SELECT FROM closed_months m
                      WHERE m.environment_id = _environment_id
                        AND m.month = date_trunc('month', d.day::timestamp)::date);
  RETURN 'answered';
END $$;
