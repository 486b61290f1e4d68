CREATE OR REPLACE FUNCTION guard_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF EXISTS (SELECT FROM environments e
                WHERE e.environment_id = OLD.environment_id AND is_purgeable(e.retired_at)) THEN
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
