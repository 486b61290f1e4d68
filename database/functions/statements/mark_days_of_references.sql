CREATE OR REPLACE FUNCTION mark_days_of_references(_environment_id integer, _references text[])
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp SET enable_seqscan = off AS $$
-- Queues the lines that name one of these references or are matched to one of these contributions, and the
-- batch entries whose parts do: a notification of another day may supply the parts.
DECLARE
  _none CONSTANT bit(1024) := repeat('0', 1024)::bit(1024);
  _found jsonb;
BEGIN
  WITH named AS (
    SELECT r.account_id, r.day, r.bucket FROM line_references r
     WHERE r.environment_id = _environment_id AND r.reference = ANY (_references)
     UNION
    SELECT a.account_id, a.day, a.bucket FROM line_allocations a
     WHERE a.environment_id = _environment_id AND a.transaction_id = ANY (_references)
  ),
  lines AS (
    SELECT n.account_id, n.day, n.bucket FROM named n
     UNION
    SELECT b.account_id, b.day, b.bucket
      FROM named n
      JOIN statement_lines p
        ON p.environment_id = _environment_id AND p.account_id = n.account_id AND p.day = n.day
       AND p.bucket = n.bucket AND p.is_part
      JOIN statement_lines b
        ON b.environment_id = _environment_id AND b.money_hash = p.batch_hash
       AND b.day BETWEEN p.day - 7 AND p.day + 7
  ),
  days AS (
    SELECT l.account_id, l.day, bit_or(set_bit(_none, l.bucket, 1)) AS buckets FROM lines l
     GROUP BY l.account_id, l.day
  )
  SELECT jsonb_agg(jsonb_build_object('account_id', d.account_id, 'day', d.day, 'buckets', d.buckets::text))
    FROM days d
    INTO _found;
  -- In the order of the days, so that two processes never wait for each other.
  PERFORM FROM account_days d
    WHERE d.environment_id = _environment_id
      AND (d.account_id, d.day) IN (
        SELECT f.account_id, f.day FROM jsonb_to_recordset(_found) AS f (account_id uuid, day date))
    ORDER BY d.account_id, d.day
      FOR NO KEY UPDATE;
  UPDATE account_days d SET waiting = d.waiting | f.buckets
    FROM jsonb_to_recordset(_found) AS f (account_id uuid, day date, buckets bit(1024))
   WHERE d.environment_id = _environment_id AND d.account_id = f.account_id AND d.day = f.day;
END $$;
