CREATE OR REPLACE FUNCTION set_account_settings(_environment_id integer, _account_id uuid, _settings jsonb)
RETURNS text LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Stores what a person sets about an account. Without a direction, the account keeps its own. Another direction
-- turns payments into returns, so all lines are queued. Returns 'set', or why nothing was stored: 'no_account',
-- 'month_closed' (lines of a closed month would turn), 'has_links' (the amounts of a link or split would no longer
-- be those of a payment or return).
DECLARE
  _direction CONSTANT text := _settings ->> 'direction';
  _before text;
BEGIN
  SELECT a.direction FROM statement_accounts a
   WHERE a.environment_id = _environment_id AND a.account_id = _account_id FOR NO KEY UPDATE
    INTO _before;
  IF NOT FOUND THEN
    RETURN 'no_account';
  END IF;
  IF _direction <> _before THEN
    -- In the order of the days, so that two processes never wait for each other. While the days are locked, their
    -- months are not closed.
    PERFORM FROM account_days d
      WHERE d.environment_id = _environment_id AND d.account_id = _account_id
      ORDER BY d.day
        FOR NO KEY UPDATE;
    IF EXISTS (
      SELECT FROM closed_months m
        JOIN line_outcomes o ON o.environment_id = m.environment_id AND o.account_id = _account_id
                            AND o.day BETWEEN m.month AND (m.month + interval '1 month - 1 day')::date
       WHERE m.environment_id = _environment_id AND o.state <> 'replaced'
    ) THEN
      RETURN 'month_closed';
    END IF;
    IF EXISTS (
      SELECT FROM line_decisions l
       WHERE l.environment_id = _environment_id AND l.account_id = _account_id AND l.action IN ('link', 'split')
         AND NOT EXISTS (
           SELECT FROM line_decisions n
            WHERE n.environment_id = _environment_id AND n.entry_id = l.entry_id AND n.number > l.number
              AND n.action IN ('link', 'split', 'unlink', 'ignore', 'undo'))
    ) THEN
      RETURN 'has_links';
    END IF;
    UPDATE account_days d SET waiting = repeat('1', 1024)::bit(1024)
     WHERE d.environment_id = _environment_id AND d.account_id = _account_id;
  END IF;
  UPDATE statement_accounts a
     SET complete_coverage = (_settings ->> 'complete_coverage')::boolean,
         grace_days = (_settings ->> 'grace_days')::integer, direction = COALESCE(_direction, a.direction)
   WHERE a.environment_id = _environment_id AND a.account_id = _account_id;
  RETURN 'set';
END $$;
