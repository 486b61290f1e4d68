CREATE OR REPLACE FUNCTION count_environment_contributions(
  _environment_id integer, _most integer,
  OUT event_count integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Adds events of one feed to the totals of its environment. It leaves complete_until alone, which is
-- a promise about all environments.
BEGIN
  event_count := 0;
  IF NOT (pg_try_advisory_xact_lock(1179010376, 3) AND pg_try_advisory_xact_lock_shared(1179010376, 2)) THEN
    RETURN;
  END IF;
  -- As in count_contributions.
  IF EXISTS (
    SELECT FROM pg_locks l
     WHERE l.locktype = 'relation' AND l.relation = 'bank_links'::regclass AND l.mode = 'RowExclusiveLock'
       AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
       AND l.pid IS DISTINCT FROM pg_backend_pid()) THEN
    RETURN;
  END IF;
  event_count := count_contributions_of(_environment_id, clock_timestamp() - interval '5 seconds', _most);
END $$;
