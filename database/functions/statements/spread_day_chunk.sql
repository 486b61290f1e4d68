CREATE OR REPLACE FUNCTION spread_day_chunk(
  _environment_id integer, _account_id uuid, _day date, _generation integer, _buckets bit
) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp SET enable_seqscan = off AS $$
-- Queues the lines of other days that have the money or the batch of the lines in these buckets, also of
-- lines whose statement no longer counts. Lines of statements without a reference are compared with others
-- only if they were moved. Returns false and changes nothing if the day has changed or
-- another process has claimed it since.
DECLARE
  _numbers smallint[] := ARRAY(SELECT n FROM generate_series(0, 1023) AS n WHERE get_bit(_buckets, n) = 1);
  _none CONSTANT bit(1024) := repeat('0', 1024)::bit(1024);
  _found jsonb;
BEGIN
  WITH keys AS (
    SELECT l.money_hash, l.batch_hash FROM statement_lines l
     WHERE l.environment_id = _environment_id AND l.account_id = _account_id AND l.day = _day
       AND l.bucket = ANY (_numbers)
  ),
  hashes AS (SELECT k.money_hash AS hash FROM keys k UNION SELECT k.batch_hash FROM keys k),
  -- A loop over the hashes: the planner would read all lines instead.
  near AS (
    SELECT l.* FROM hashes h
     CROSS JOIN LATERAL (
       SELECT m.day, m.bucket, m.statement_id, m.reference, m.own_day FROM statement_lines m
        WHERE m.environment_id = _environment_id AND m.money_hash = h.hash AND m.day BETWEEN _day - 28 AND _day + 28
        UNION ALL
       SELECT b.day, b.bucket, b.statement_id, b.reference, b.own_day FROM statement_lines b
        WHERE b.environment_id = _environment_id AND b.batch_hash = h.hash AND b.day BETWEEN _day - 28 AND _day + 28
     ) l
  ),
  lines AS (
    SELECT DISTINCT n.day, n.bucket FROM near n
      JOIN bank_statements s ON s.environment_id = _environment_id AND s.statement_id = n.statement_id
     WHERE n.day <> _day AND (n.reference IS NOT NULL OR n.own_day IS NOT NULL OR NOT s.is_final)
  ),
  days AS (
    SELECT l.day, bit_or(set_bit(_none, l.bucket, 1)) AS buckets FROM lines l GROUP BY l.day
  )
  SELECT jsonb_agg(jsonb_build_object('day', d.day, 'buckets', d.buckets::text)) FROM days d INTO _found;
  -- In the order of the days, so that two processes never wait for each other.
  PERFORM FROM account_days d
    WHERE d.environment_id = _environment_id AND d.account_id = _account_id
      AND (d.day = _day OR d.day IN (SELECT (f ->> 'day')::date FROM jsonb_array_elements(_found) AS f))
    ORDER BY d.day
      FOR NO KEY UPDATE;
  UPDATE account_days d
     SET spreading = d.spreading & ~_buckets, claimed_until = statement_timestamp() + interval '30 seconds'
   WHERE d.environment_id = _environment_id AND d.account_id = _account_id AND d.day = _day
     AND d.generation = _generation;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE account_days d SET waiting = d.waiting | f.buckets
    FROM jsonb_to_recordset(_found) AS f (day date, buckets bit(1024))
   WHERE d.environment_id = _environment_id AND d.account_id = _account_id AND d.day = f.day;
  RETURN true;
END $$;
