CREATE OR REPLACE FUNCTION mark_days_of_references(_environment_id integer, _references text[])
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Queues the lines that name one of these references.
DECLARE
  _none CONSTANT bit(1024) := repeat('0', 1024)::bit(1024);
BEGIN
  -- In the order of the days, so that two processes never wait for each other.
  PERFORM FROM account_days d
    WHERE d.environment_id = _environment_id
      AND (d.account_id, d.day) IN (
        SELECT r.account_id, r.day FROM line_references r
         WHERE r.environment_id = _environment_id AND r.reference = ANY (_references))
    ORDER BY d.account_id, d.day
      FOR NO KEY UPDATE;
  UPDATE account_days d SET waiting = d.waiting | f.buckets
    FROM (
      SELECT r.account_id, r.day, bit_or(set_bit(_none, r.bucket, 1)) AS buckets FROM line_references r
       WHERE r.environment_id = _environment_id AND r.reference = ANY (_references)
       GROUP BY r.account_id, r.day
    ) f
   WHERE d.environment_id = _environment_id AND d.account_id = f.account_id AND d.day = f.day;
END $$;
