CREATE OR REPLACE FUNCTION guard_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF EXISTS (SELECT FROM environments e
                WHERE e.environment_id = OLD.environment_id AND is_purgeable(e.retired_at)) THEN
      RETURN OLD;
    END IF;
  END IF;
  IF TG_OP <> 'UPDATE' THEN
    RAISE EXCEPTION 'a transaction is never removed'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_never_removed', TABLE = TG_TABLE_NAME;
  END IF;
  IF OLD.status = 'completed' AND NEW.returned_cents <> OLD.returned_cents THEN
    IF to_jsonb(NEW) - 'returned_cents' - 'transaction_tag' <> to_jsonb(OLD) - 'returned_cents' - 'transaction_tag' THEN
      RAISE EXCEPTION 'a return changes only the returned amount of a transaction'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_otherwise_unchanged', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
  END IF;
  IF OLD.status = 'completed' AND OLD.corrected_at IS NULL AND NEW.corrected_at IS NOT NULL THEN
    IF to_jsonb(NEW) - 'corrected_at' - 'transaction_tag' <> to_jsonb(OLD) - 'corrected_at' - 'transaction_tag' THEN
      RAISE EXCEPTION 'a correction changes nothing else of a transaction'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_otherwise_unchanged', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
  END IF;
  IF (OLD.status <> 'pending' AND OLD.corrected_at IS NULL) OR NEW.status <> 'completed' THEN
    RAISE EXCEPTION 'a transaction may only go from pending to completed'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_only_completed', TABLE = TG_TABLE_NAME;
  END IF;
  IF (NEW.environment_id, NEW.transaction_id, NEW.user_id, NEW.project_id, NEW.amount_cents, NEW.currency,
      NEW.idempotency_key, NEW.created_by_api_key, NEW.created_at, NEW.returned_cents, NEW.completion,
      NEW.corrected_at)
     IS DISTINCT FROM
     (OLD.environment_id, OLD.transaction_id, OLD.user_id, OLD.project_id, OLD.amount_cents, OLD.currency,
      OLD.idempotency_key, OLD.created_by_api_key, OLD.created_at, OLD.returned_cents,
      OLD.completion + (OLD.status = 'completed')::integer, NULL)
  THEN
    RAISE EXCEPTION 'completing a transaction changes nothing else of it'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_otherwise_unchanged', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER transactions_guard
  BEFORE DELETE OR UPDATE ON transactions FOR EACH ROW EXECUTE FUNCTION guard_transactions();

CREATE OR REPLACE TRIGGER transactions_guard_truncate
  BEFORE TRUNCATE ON transactions FOR EACH STATEMENT EXECUTE FUNCTION guard_transactions();
