CREATE OR REPLACE FUNCTION guard_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    -- Of an environment that a reset retired a week ago.
    IF EXISTS (SELECT FROM environments e
                WHERE e.environment_id = OLD.environment_id
                  AND e.retired_at < clock_timestamp() - interval '7 days') THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'an event is never changed or removed'
    USING ERRCODE = 'check_violation', CONSTRAINT = 'events_append_only', TABLE = TG_TABLE_NAME;
END $$;

CREATE OR REPLACE TRIGGER events_guard
  BEFORE DELETE OR UPDATE ON events FOR EACH ROW EXECUTE FUNCTION guard_events();

CREATE OR REPLACE TRIGGER events_guard_truncate
  BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION guard_events();
