CREATE OR REPLACE FUNCTION guard_operator_actions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what an operator did is never changed or removed'
    USING ERRCODE = 'check_violation', CONSTRAINT = 'operator_actions_append_only', TABLE = TG_TABLE_NAME;
END $$;

CREATE OR REPLACE TRIGGER operator_actions_guard
  BEFORE DELETE OR UPDATE ON operator_actions FOR EACH ROW EXECUTE FUNCTION guard_operator_actions();

CREATE OR REPLACE TRIGGER operator_actions_guard_truncate
  BEFORE TRUNCATE ON operator_actions FOR EACH STATEMENT EXECUTE FUNCTION guard_operator_actions();
