CREATE OR REPLACE FUNCTION choose_day_version(
  _environment_id integer, _account_id uuid, _day date, _generation integer, _statement_ids uuid[], _chosen jsonb,
  _rules integer, _notice jsonb
) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Stores the version of a day, and queues all of its lines and the lines of other days that depend on them.
-- The exceptions of the version were stored before, under its generation. Returns false and changes nothing
-- if the day has changed or another process has claimed it since.
DECLARE
  _all CONSTANT bit(1024) := repeat('1', 1024)::bit(1024);
  _before record;
  _last date;
BEGIN
  -- The days from the version before on, in their order: two days that are chosen at the same time wait for
  -- each other here, so the later one sees the balance of the earlier one.
  PERFORM FROM account_days d
    WHERE d.environment_id = _environment_id AND d.account_id = _account_id AND d.day <= _day
      AND d.day >= COALESCE((SELECT max(b.day) FROM account_days b
                              WHERE b.environment_id = _environment_id AND b.account_id = _account_id
                                AND b.day < _day AND b.version IS NOT NULL), _day)
    ORDER BY d.day
      FOR NO KEY UPDATE;
  SELECT d.closing_cents, d.version FROM account_days d
   WHERE d.environment_id = _environment_id AND d.account_id = _account_id AND d.day = _day
     AND d.generation = _generation
    INTO _before;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE account_days d
     SET statement_ids = _statement_ids, version = _chosen ->> 'version', format = _chosen ->> 'format',
         problem = _chosen ->> 'problem', opening_cents = (_chosen ->> 'opening_cents')::bigint,
         closing_cents = (_chosen ->> 'closing_cents')::bigint,
         change_cents = (_chosen ->> 'change_cents')::numeric, summary = NULLIF(_chosen -> 'summary', 'null'),
         question = NULLIF(_chosen -> 'question', 'null'),
         chosen_in = CASE WHEN _chosen ->> 'version' IS NULL THEN NULL ELSE _generation END,
         is_changed = false, working = _all, spreading = _all,
         rules = _rules
   WHERE d.environment_id = _environment_id AND d.account_id = _account_id AND d.day = _day;
  IF _notice IS NOT NULL THEN
    INSERT INTO version_changes
      (environment_id, account_id, day, generation, version_before, version_after, lines_gone, lines_added)
    VALUES (_environment_id, _account_id, _day, _generation, _before.version, _chosen ->> 'version',
            (_notice ->> 'gone')::integer, (_notice ->> 'added')::integer);
    -- The row has the time of this statement.
    PERFORM append_environment_event(
      _environment_id, (_notice ->> 'event_id')::uuid, 'statement_day.changed', statement_timestamp(), '{}',
      jsonb_build_object('account_id', _account_id, 'day', to_char(_day, 'YYYY-MM-DD'),
                         'lines_gone', _notice -> 'gone', 'lines_added', _notice -> 'added'));
  END IF;
  DELETE FROM line_exceptions x
   WHERE x.environment_id = _environment_id AND x.account_id = _account_id AND x.day = _day
     AND x.generation <> _generation;
  -- Whether a line repeats one of another day depends on the balances of both. Days in between may get a
  -- version at the same time. A later day without a version is judged when it gets one.
  IF (_before.closing_cents, _before.version IS NULL)
     IS DISTINCT FROM ((_chosen ->> 'closing_cents')::bigint, _chosen ->> 'version' IS NULL) THEN
    _last := COALESCE((SELECT min(n.day) FROM account_days n
                        WHERE n.environment_id = _environment_id AND n.account_id = _account_id AND n.day > _day
                          AND n.version IS NOT NULL), _day);
    PERFORM FROM account_days d
      WHERE d.environment_id = _environment_id AND d.account_id = _account_id AND d.day > _day AND d.day <= _last
      ORDER BY d.day
        FOR NO KEY UPDATE;
    UPDATE account_days d SET waiting = _all
     WHERE d.environment_id = _environment_id AND d.account_id = _account_id AND d.day > _day AND d.day <= _last;
  END IF;
  RETURN true;
END $$;
