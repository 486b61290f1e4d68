CREATE OR REPLACE FUNCTION visibility_horizon_of(_environment_id integer, OUT complete_until timestamptz)
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- The time before which every contribution of an environment is visible. On Citus, this runs on the
-- server that has the environment: its clock gives contributions their times, and a commit on it can
-- outlive the session of the coordinator.
BEGIN
  SELECT LEAST(statement_timestamp(), min(a.xact_start))
    FROM pg_stat_activity a
   WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()
    INTO complete_until;
END $$;
