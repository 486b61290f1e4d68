CREATE OR REPLACE FUNCTION correct_contribution_as_operator(
  _transaction_id text, _reason text, _event_id uuid,
  OUT outcome text, OUT recorded_at timestamptz, OUT contribution_cents bigint
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
-- Takes a completion back as the operator whose login the session has. Operators may not write these
-- tables themselves.
DECLARE
  -- A variable: Citus would evaluate session_user on the worker, where it is the owner.
  _login text := session_user;
  _environment_id integer;
BEGIN
  PERFORM require_argument(
    char_length(_reason) BETWEEN 1 AND 500, 'corrections_reason_length', 'a correction needs a reason');
  SELECT e.environment_id FROM environments e
   WHERE e.transaction_tag = left(_transaction_id, 4) AND e.retired_at IS NULL
    INTO _environment_id;
  outcome := 'unknown';
  IF _environment_id IS NOT NULL THEN
    SELECT c.outcome, c.recorded_at, c.contribution_cents
      FROM correct_contribution_of(_environment_id, NULL, NULL, _login, _transaction_id, _reason, NULL, _event_id) c
      INTO outcome, recorded_at, contribution_cents;
  END IF;
END $$;
