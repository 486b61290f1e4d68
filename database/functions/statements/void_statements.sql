CREATE OR REPLACE FUNCTION void_statements(_environment_id integer, _file_id uuid, _reason text)
RETURNS integer LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Voids an upload, takes its statements away from their days, and queues these days. If a process is reading
-- the upload, it loses its claim and publishes nothing. Idempotent: the first reason stays. Returns the number
-- of statements that this call has voided. Returns null and changes nothing if a closed month has one of them in
-- its versions or counts a line of it.
DECLARE
  _now CONSTANT timestamptz := statement_timestamp();
  _voided uuid[];
BEGIN
  -- The lock of the row lets publish_upload come before or after this, so both see all statements.
  PERFORM FROM statement_uploads u
    WHERE u.environment_id = _environment_id AND u.upload_id = _file_id FOR NO KEY UPDATE;
  -- In the order of the days, so that two processes never wait for each other. While the days are locked, their
  -- months are not closed.
  PERFORM FROM account_days d
    WHERE d.environment_id = _environment_id AND (d.account_id, d.day) IN (
      SELECT t.account_id, t.day FROM bank_statements s
        JOIN statement_days t ON t.environment_id = _environment_id AND t.statement_id = s.statement_id
       WHERE s.environment_id = _environment_id AND s.file_id = _file_id AND s.voided_at IS NULL)
    ORDER BY d.account_id, d.day
      FOR NO KEY UPDATE;
  IF EXISTS (
    SELECT FROM bank_statements s
      JOIN statement_days t ON t.environment_id = _environment_id AND t.statement_id = s.statement_id
      JOIN closed_months m
        ON m.environment_id = _environment_id AND m.month = date_trunc('month', t.day::timestamp)::date
      JOIN account_days d
        ON d.environment_id = _environment_id AND d.account_id = t.account_id AND d.day = t.day
     WHERE s.environment_id = _environment_id AND s.file_id = _file_id AND s.voided_at IS NULL
       AND (s.statement_id = ANY (d.statement_ids) OR EXISTS (
         SELECT FROM line_outcomes o
          WHERE o.environment_id = _environment_id AND o.account_id = t.account_id AND o.day = t.day
            AND o.bucket BETWEEN 0 AND 1023 AND o.statement_id = s.statement_id AND o.state = 'counted'))
  ) THEN
    RETURN NULL;
  END IF;
  UPDATE statement_uploads u
     SET state = 'voided', voided_at = _now, void_reason = _reason, ended_at = COALESCE(u.ended_at, _now),
         claim_id = NULL, claimed_until = NULL
   WHERE u.environment_id = _environment_id AND u.upload_id = _file_id
     AND u.state IN ('received', 'reading', 'read');
  DELETE FROM statement_upload_chunks c
   WHERE c.environment_id = _environment_id AND c.upload_id = _file_id AND EXISTS (
     SELECT FROM statement_uploads u
      WHERE u.environment_id = _environment_id AND u.upload_id = _file_id AND u.state = 'voided');
  WITH voided AS (
    UPDATE bank_statements s SET voided_at = _now
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
