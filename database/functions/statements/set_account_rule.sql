CREATE OR REPLACE FUNCTION set_account_rule(
  _environment_id integer, _account_id uuid, _direction text, _code text, _outcome text, _reason text, _decided_by text
) RETURNS text LANGUAGE plpgsql SET search_path = public, pg_temp SET enable_seqscan = off AS $$
-- Says what lines of an account with a code are, and queues those of open months. 'none' ends the rule. Returns
-- 'set', 'same' (it is the newest rule), 'no_rule' (there is none to end), or 'no_account'.
DECLARE
  _none CONSTANT bit(1024) := repeat('0', 1024)::bit(1024);
  _newest text;
  _found jsonb;
BEGIN
  -- One rule of an account at a time.
  PERFORM FROM statement_accounts a
    WHERE a.environment_id = _environment_id AND a.account_id = _account_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN 'no_account';
  END IF;
  SELECT r.outcome FROM account_rules r
   WHERE r.environment_id = _environment_id AND r.account_id = _account_id AND r.direction = _direction
     AND r.code = _code
   ORDER BY r.number DESC LIMIT 1
    INTO _newest;
  IF _outcome = 'none' AND COALESCE(_newest, 'none') = 'none' THEN
    RETURN 'no_rule';
  END IF;
  IF _outcome = _newest THEN
    RETURN 'same';
  END IF;
  -- Also the batch entries whose parts have the code: a notification of another day may supply the parts.
  WITH named AS (
    SELECT l.day, l.bucket, l.batch_hash, l.is_part FROM statement_lines l
     WHERE l.environment_id = _environment_id AND l.account_id = _account_id AND l.code = _code
       AND l.direction = _direction
  ),
  lines AS (
    SELECT n.day, n.bucket FROM named n
     UNION
    SELECT b.day, b.bucket FROM named n
      JOIN statement_lines b
        ON b.environment_id = _environment_id AND b.money_hash = n.batch_hash
       AND b.day BETWEEN n.day - 7 AND n.day + 7
     WHERE n.is_part
  ),
  days AS (SELECT l.day, bit_or(set_bit(_none, l.bucket, 1)) AS buckets FROM lines l GROUP BY l.day)
  SELECT jsonb_agg(jsonb_build_object('day', d.day, 'buckets', d.buckets::text)) FROM days d INTO _found;
  -- In the order of the days, so that two processes never wait for each other. While the days are locked, their
  -- months are not closed.
  PERFORM FROM account_days d
    WHERE d.environment_id = _environment_id AND d.account_id = _account_id
      AND d.day IN (SELECT (f ->> 'day')::date FROM jsonb_array_elements(_found) AS f)
    ORDER BY d.day
      FOR NO KEY UPDATE;
  INSERT INTO account_rules
    (environment_id, account_id, number, direction, code, outcome, reason, decided_by, decided_at)
  SELECT _environment_id, _account_id, COALESCE(max(r.number), 0) + 1, _direction, _code, _outcome, _reason,
         _decided_by, clock_timestamp()
    FROM account_rules r
   WHERE r.environment_id = _environment_id AND r.account_id = _account_id;
  UPDATE account_days d SET waiting = d.waiting | f.buckets
    FROM jsonb_to_recordset(_found) AS f (day date, buckets bit(1024))
   WHERE d.environment_id = _environment_id AND d.account_id = _account_id AND d.day = f.day
     AND NOT EXISTS (SELECT FROM closed_months m
                      WHERE m.environment_id = _environment_id AND m.month = date_trunc('month', d.day::timestamp)::date);
  RETURN 'set';
END $$;
