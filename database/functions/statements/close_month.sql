CREATE OR REPLACE FUNCTION close_month(
  _environment_id integer, _month date, _closed_by text, _reason text, _seen jsonb
) RETURNS text LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Closes a month, and stores its numbers. `_seen` has the days on which the decision to close is based: those of
-- the month, and the days before and after it. Returns 'closed', or why not: 'already_closed', or
-- 'changed_meanwhile' if one of these days has changed, has a question or work, or is missing in `_seen`, or if
-- an upload is not read yet.
DECLARE
  _all CONSTANT bit(1024) := repeat('1', 1024)::bit(1024);
  _last CONSTANT date := (_month + interval '1 month - 1 day')::date;
BEGIN
  -- In the order of the days, so that two processes never wait for each other. Whoever decides about a line or
  -- a day of the month locks its day before reading closed_months.
  PERFORM FROM account_days d
    WHERE d.environment_id = _environment_id
      AND (d.day BETWEEN _month - 7 AND _last + 7 OR (d.account_id, d.day) IN (
        SELECT s.account_id, s.day FROM jsonb_to_recordset(_seen) AS s (account_id uuid, day date)))
    ORDER BY d.account_id, d.day
      FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM closed_months m WHERE m.environment_id = _environment_id AND m.month = _month) THEN
    RETURN 'already_closed';
  END IF;
  -- An upload ends when its days are queued. So it is seen here, or its days are seen below.
  IF EXISTS (SELECT FROM statement_uploads u
              WHERE u.environment_id = _environment_id AND u.state IN ('received', 'reading')) THEN
    RETURN 'changed_meanwhile';
  END IF;
  IF EXISTS (
    SELECT FROM account_days d
      LEFT JOIN jsonb_to_recordset(_seen) AS s (account_id uuid, day date, generation integer)
        ON s.account_id = d.account_id AND s.day = d.day
     WHERE d.environment_id = _environment_id AND CASE
       WHEN d.day BETWEEN _month AND _last
         THEN d.has_work OR d.question IS NOT NULL OR s.generation IS DISTINCT FROM d.generation
       -- Lines of other months may still be compared, but not their balances.
       ELSE d.is_changed OR s.generation <> d.generation END
       AND (s.day IS NOT NULL OR d.day BETWEEN _month AND _last)
  ) THEN
    RETURN 'changed_meanwhile';
  END IF;
  INSERT INTO closed_months (environment_id, month, closed_at, closed_by)
  VALUES (_environment_id, _month, clock_timestamp(), _closed_by)
  ON CONFLICT ON CONSTRAINT closed_months_pkey DO NOTHING;
  IF NOT FOUND THEN
    RETURN 'already_closed';
  END IF;
  INSERT INTO month_changes (environment_id, month, number, kind, numbers, reason, changed_by)
  SELECT _environment_id, _month, COALESCE(max(c.number), 0) + 1, 'closed', month_numbers(_environment_id, _month),
         _reason, _closed_by
    FROM month_changes c
   WHERE c.environment_id = _environment_id AND c.month = _month;
  -- The month keeps its payments from now on, and lines within seven days may be the same ones.
  UPDATE account_days d SET waiting = _all
   WHERE d.environment_id = _environment_id
     AND (d.day BETWEEN _month - 7 AND _month - 1 OR d.day BETWEEN _last + 1 AND _last + 7)
     AND NOT EXISTS (SELECT FROM closed_months m
                      WHERE m.environment_id = _environment_id AND m.month = date_trunc('month', d.day::timestamp)::date);
  RETURN 'closed';
END $$;
