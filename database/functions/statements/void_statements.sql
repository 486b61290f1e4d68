CREATE OR REPLACE FUNCTION void_statements(_environment_id integer, _file_id uuid)
RETURNS integer LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Takes the statements of a file away from their days, and queues these days. Returns the number of
-- statements that this call has voided.
DECLARE
  _voided uuid[];
BEGIN
  WITH voided AS (
    UPDATE bank_statements s SET voided_at = statement_timestamp()
     WHERE s.environment_id = _environment_id AND s.file_id = _file_id AND s.voided_at IS NULL
    RETURNING s.statement_id
  )
  SELECT array_agg(v.statement_id) FROM voided v INTO _voided;
  INSERT INTO account_days AS d (environment_id, account_id, day, is_changed)
  SELECT DISTINCT _environment_id, s.account_id, s.day, true
    FROM statement_days s
   WHERE s.environment_id = _environment_id AND s.statement_id = ANY (_voided)
   ORDER BY s.account_id, s.day
  ON CONFLICT ON CONSTRAINT account_days_pkey
  DO UPDATE SET is_changed = true, generation = d.generation + 1, claimed_until = NULL;
  RETURN COALESCE(cardinality(_voided), 0);
END $$;
