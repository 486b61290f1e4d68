CREATE OR REPLACE FUNCTION mark_all_days(_environment_id integer)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Queues all lines of an environment, because other contributions are visible to it.
BEGIN
  -- In the order of the days, so that two processes never wait for each other.
  PERFORM FROM account_days d
    WHERE d.environment_id = _environment_id
    ORDER BY d.account_id, d.day
      FOR NO KEY UPDATE;
  UPDATE account_days d SET waiting = repeat('1', 1024)::bit(1024) WHERE d.environment_id = _environment_id;
END $$;
