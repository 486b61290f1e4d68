CREATE OR REPLACE FUNCTION put_day_chunk(
  _environment_id integer, _account_id uuid, _day date, _generation integer, _buckets bit, _outcomes jsonb,
  _allocations jsonb
) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp SET enable_seqscan = off AS $$
-- Replaces the outcomes and allocations of these buckets of lines, and changes the money of their contributions by
-- the difference, which ends that a person accepted it. Returns false and changes nothing if another process has claimed the day since.
-- Equal lines of two versions of the day share a bucket, so their money never disappears in between.
DECLARE
  _numbers smallint[] := ARRAY(SELECT n FROM generate_series(0, 1023) AS n WHERE get_bit(_buckets, n) = 1);
  _changes jsonb;
  _transaction_ids text[];
BEGIN
  -- The lock of the row lets one chunk of a day follow the other.
  UPDATE account_days d
     SET working = d.working & ~_buckets, claimed_until = statement_timestamp() + interval '30 seconds'
   WHERE d.environment_id = _environment_id AND d.account_id = _account_id AND d.day = _day
     AND d.generation = _generation;
  IF NOT FOUND THEN
    RETURN false;
  END IF;

  DELETE FROM line_outcomes o
   WHERE o.environment_id = _environment_id AND o.account_id = _account_id AND o.day = _day
     AND o.bucket = ANY (_numbers);
  INSERT INTO line_outcomes
    (environment_id, account_id, day, bucket, statement_id, number, part, state, replaced_by, entry_id, outcome,
     reason, decision_entry_id, direction, amount_cents, charges_cents, reference, digest, content, occurrence, term,
     term_cents, fee_cents)
  SELECT _environment_id, _account_id, _day, n.bucket, n.statement_id, n.number, n.part, n.state, n.replaced_by,
         n.entry_id, n.outcome, n.reason, n.decision_entry_id, n.direction, n.amount_cents, n.charges_cents,
         n.reference, n.digest, n.content, n.occurrence, n.term, n.term_cents, n.fee_cents
    FROM jsonb_to_recordset(_outcomes) AS n (
      bucket smallint, statement_id uuid, number integer, part integer, state text, replaced_by text, entry_id uuid,
      outcome text, reason text, decision_entry_id uuid, direction text, amount_cents bigint, charges_cents bigint,
      reference text, digest text, content text, occurrence integer, term text, term_cents bigint, fee_cents bigint);

  WITH removed AS (
    DELETE FROM line_allocations a
     WHERE a.environment_id = _environment_id AND a.account_id = _account_id AND a.day = _day
       AND a.bucket = ANY (_numbers)
    RETURNING a.transaction_id, a.transaction_environment_id, a.kind, a.amount_cents, a.charges_cents,
              a.expected_cents, a.state, -1 AS sign
  ),
  added AS (
    SELECT n.transaction_id, n.transaction_environment_id, n.kind, n.amount_cents, n.charges_cents,
           n.expected_cents, n.state, 1 AS sign
      FROM jsonb_to_recordset(_allocations) AS n (
        transaction_id text, transaction_environment_id integer, kind text, amount_cents bigint,
        charges_cents bigint, expected_cents bigint, state text)
  ),
  confirmed AS (
    SELECT c.transaction_id, c.transaction_environment_id, c.expected_cents,
           c.sign * c.charges_cents AS charges_cents,
           CASE WHEN c.kind = 'payment' THEN c.sign * c.amount_cents ELSE 0 END AS gross_cents,
           CASE WHEN c.kind = 'return' THEN c.sign * c.amount_cents ELSE 0 END AS returned_cents,
           c.amount_cents <> c.expected_cents AS is_other
      FROM (SELECT * FROM removed UNION ALL SELECT * FROM added) AS c
     WHERE c.state = 'confirmed'
  ),
  summed AS (
    SELECT c.transaction_id, min(c.transaction_environment_id) AS transaction_environment_id,
           min(c.expected_cents) AS expected_cents, sum(c.gross_cents) AS gross_cents,
           sum(c.returned_cents) AS returned_cents, sum(c.charges_cents) AS charges_cents,
           COALESCE(sum(c.gross_cents) FILTER (WHERE c.is_other), 0) AS other_gross_cents,
           COALESCE(sum(c.returned_cents) FILTER (WHERE c.is_other), 0) AS other_returned_cents
      FROM confirmed c
     GROUP BY c.transaction_id
  )
  SELECT jsonb_agg(s ORDER BY s.transaction_id), array_agg(s.transaction_id) FROM summed s
   WHERE (s.gross_cents, s.returned_cents, s.charges_cents, s.other_gross_cents, s.other_returned_cents)
         <> (0, 0, 0, 0, 0)
    INTO _changes, _transaction_ids;

  INSERT INTO line_allocations
    (environment_id, account_id, day, bucket, entry_id, transaction_id, transaction_environment_id, kind,
     amount_cents, charges_cents, expected_cents, confidence, state)
  SELECT _environment_id, _account_id, _day, n.bucket, n.entry_id, n.transaction_id,
         n.transaction_environment_id, n.kind, n.amount_cents, n.charges_cents, n.expected_cents, n.confidence,
         n.state
    FROM jsonb_to_recordset(_allocations) AS n (
      bucket smallint, entry_id uuid, transaction_id text, transaction_environment_id integer, kind text,
      amount_cents bigint, charges_cents bigint, expected_cents bigint, confidence text, state text);

  IF _changes IS NULL THEN
    RETURN true;
  END IF;
  -- In the order of the ids, so that two days never wait for each other.
  INSERT INTO contribution_money (environment_id, transaction_id, transaction_environment_id, expected_cents)
  SELECT _environment_id, c.transaction_id, c.transaction_environment_id, c.expected_cents
    FROM jsonb_to_recordset(_changes) AS c (
      transaction_id text, transaction_environment_id integer, expected_cents bigint)
   ORDER BY c.transaction_id
  ON CONFLICT ON CONSTRAINT contribution_money_pkey DO NOTHING;
  PERFORM FROM contribution_money m
    WHERE m.environment_id = _environment_id
      AND m.transaction_id = ANY (_transaction_ids)
    ORDER BY m.transaction_id
      FOR NO KEY UPDATE;
  UPDATE contribution_money m
     SET gross_cents = m.gross_cents + c.gross_cents, returned_cents = m.returned_cents + c.returned_cents,
         charges_cents = m.charges_cents + c.charges_cents,
         other_gross_cents = m.other_gross_cents + c.other_gross_cents,
         other_returned_cents = m.other_returned_cents + c.other_returned_cents, accepted_at = NULL
    FROM jsonb_to_recordset(_changes) AS c (
      transaction_id text, gross_cents numeric, returned_cents numeric, charges_cents numeric,
      other_gross_cents numeric, other_returned_cents numeric)
   WHERE m.environment_id = _environment_id AND m.transaction_id = ANY (_transaction_ids)
     AND m.transaction_id = c.transaction_id;
  RETURN true;
END $$;
