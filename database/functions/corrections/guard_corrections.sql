CREATE OR REPLACE FUNCTION guard_corrections() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF EXISTS (SELECT FROM environments e
                WHERE e.environment_id = OLD.environment_id AND is_purgeable(e.retired_at)) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'a correction is never changed or removed'
    USING ERRCODE = 'check_violation', CONSTRAINT = 'corrections_append_only', TABLE = TG_TABLE_NAME;
END $$;

CREATE OR REPLACE TRIGGER corrections_guard
  BEFORE DELETE OR UPDATE ON corrections FOR EACH ROW EXECUTE FUNCTION guard_corrections();

CREATE OR REPLACE TRIGGER corrections_guard_truncate
  BEFORE TRUNCATE ON corrections FOR EACH STATEMENT EXECUTE FUNCTION guard_corrections();
