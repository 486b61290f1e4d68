CREATE OR REPLACE FUNCTION reopen_month(_environment_id integer, _month date, _reopened_by text, _reason text)
RETURNS text LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Reopens a month, and chooses the versions of its days again: what came after its closing counts from now on.
-- Returns 'reopened', 'already_open' (it was reopened before), or 'not_closed' (it was never closed).
BEGIN
  PERFORM FROM account_days d
    WHERE d.environment_id = _environment_id
      AND d.day BETWEEN _month AND (_month + interval '1 month - 1 day')::date
    ORDER BY d.account_id, d.day
      FOR NO KEY UPDATE;
  DELETE FROM closed_months m WHERE m.environment_id = _environment_id AND m.month = _month;
  IF NOT FOUND THEN
    RETURN CASE WHEN EXISTS (SELECT FROM month_changes c
                              WHERE c.environment_id = _environment_id AND c.month = _month)
                THEN 'already_open' ELSE 'not_closed' END;
  END IF;
  INSERT INTO month_changes (environment_id, month, number, kind, numbers, reason, changed_by)
  SELECT _environment_id, _month, max(c.number) + 1, 'reopened', month_numbers(_environment_id, _month), _reason,
         _reopened_by
    FROM month_changes c
   WHERE c.environment_id = _environment_id AND c.month = _month;
  UPDATE account_days d SET is_changed = true, generation = d.generation + 1, claimed_until = NULL
   WHERE d.environment_id = _environment_id
     AND d.day BETWEEN _month AND (_month + interval '1 month - 1 day')::date;
  RETURN 'reopened';
END $$;
