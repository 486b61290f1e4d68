CREATE OR REPLACE FUNCTION guard_money_returns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF EXISTS (SELECT FROM environments e
                WHERE e.environment_id = OLD.environment_id AND is_purgeable(e.retired_at)) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'a return is never changed or removed'
    USING ERRCODE = 'check_violation', CONSTRAINT = 'money_returns_append_only', TABLE = TG_TABLE_NAME;
END $$;

CREATE OR REPLACE TRIGGER money_returns_guard
  BEFORE DELETE OR UPDATE ON money_returns FOR EACH ROW EXECUTE FUNCTION guard_money_returns();

CREATE OR REPLACE TRIGGER money_returns_guard_truncate
  BEFORE TRUNCATE ON money_returns FOR EACH STATEMENT EXECUTE FUNCTION guard_money_returns();
