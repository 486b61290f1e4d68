CREATE OR REPLACE FUNCTION put_statement_entries(
  _environment_id integer, _class_keys bytea[], _basis text, _entries jsonb, _allocations jsonb
) RETURNS boolean
LANGUAGE plpgsql SET search_path = public, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
-- Replaces the entries of these classes and their allocations, and adds up the money of the
-- transactions that change. Returns false and changes nothing if the lines, their parts or the
-- decisions are no longer those that the caller has read (_basis, a digest of their ids).
DECLARE
  _rules integer := split_part(_basis, ' ', 3);
  _touched text[];
  _stored uuid[];
  _seen text;
BEGIN
  -- One change of an environment at a time. The statements below see all earlier ones.
  PERFORM pg_advisory_xact_lock(1398033748, _environment_id);
  -- The caller's version of the rules. An older version never replaces the results of a newer one.
  UPDATE matching_progress p SET rules = _rules WHERE p.environment_id = _environment_id AND p.rules < _rules;
  IF EXISTS (SELECT FROM matching_progress p WHERE p.environment_id = _environment_id AND p.rules > _rules) THEN
    RETURN false;
  END IF;
  SELECT array_agg(e.entry_id) FROM unnest(_class_keys) AS k (class_key)
   CROSS JOIN LATERAL (
     SELECT o.entry_id FROM statement_entries o
      WHERE o.environment_id = _environment_id AND o.class_key = k.class_key OFFSET 0
   ) AS e
    INTO _stored;
  -- What the caller has seen of completions, lists, links and directions. It does not change before
  -- this commits.
  SELECT concat_ws(' ', p.seen_sequence, p.seen_lists, p.seen_links, p.seen_directions) FROM matching_progress p
   WHERE p.environment_id = _environment_id
     FOR SHARE
    INTO _seen;
  -- The final statements that may cover the lines.
  IF split_part(_basis, ' ', 2) IS DISTINCT FROM md5(concat((
       SELECT string_agg(concat_ws(' ', a.account_id, c.files), ',' ORDER BY a.account_id)
         FROM statement_accounts a
        CROSS JOIN LATERAL (
          SELECT md5(string_agg(s.file_id::text, ',' ORDER BY s.file_id)) AS files
            FROM (
              SELECT DISTINCT o.file_id FROM statements o
               WHERE o.environment_id = _environment_id AND o.account_id = a.account_id AND o.kind = 'final'
                 AND o.balance <> 'unbalanced'
            ) AS s
            JOIN statement_files f ON f.environment_id = _environment_id AND f.file_id = s.file_id
           WHERE f.state <> 'receiving' AND f.voided_at IS NULL
        ) AS c
        WHERE a.environment_id = _environment_id AND a.account_id IN (
          SELECT l.account_id FROM unnest(_class_keys) AS k (class_key)
           CROSS JOIN LATERAL (
             SELECT st.account_id FROM (
                      SELECT o.file_id, o.statement_number FROM entry_sources o
                       WHERE o.environment_id = _environment_id AND o.class_key = k.class_key OFFSET 0
                    ) AS s
               JOIN statements st ON st.environment_id = _environment_id AND st.file_id = s.file_id
                                 AND st.number = s.statement_number
              LIMIT 1
           ) AS l)
     ))) THEN
    RETURN false;
  END IF;
  IF split_part(_basis, ' ', 1) IS DISTINCT FROM md5(concat((
       SELECT string_agg(s.file_id || ' ' || s.place, ',' ORDER BY s.file_id, s.place)
         FROM unnest(_class_keys) AS k (class_key)
        CROSS JOIN LATERAL (
          SELECT o.file_id, o.place FROM entry_sources o
           WHERE o.environment_id = _environment_id AND o.class_key = k.class_key OFFSET 0
        ) AS s
        WHERE (SELECT f.state <> 'receiving' AND f.voided_at IS NULL FROM statement_files f
                WHERE f.environment_id = _environment_id AND f.file_id = s.file_id)
     ), ';', (
       SELECT string_agg(s.file_id || ' ' || s.place, ',' ORDER BY s.file_id, s.place)
         FROM unnest(_class_keys) AS k (class_key)
        CROSS JOIN LATERAL (
          SELECT o.file_id, o.place FROM entry_sources o
           WHERE o.environment_id = _environment_id AND o.parent_key = k.class_key OFFSET 0
        ) AS s
        WHERE (SELECT f.state <> 'receiving' AND f.voided_at IS NULL FROM statement_files f
                WHERE f.environment_id = _environment_id AND f.file_id = s.file_id)
     ), ';', (
       SELECT string_agg(d.decision_id::text, ',' ORDER BY d.decision_id) FROM reconciliation_decisions d
        WHERE d.environment_id = _environment_id AND d.entry_id = ANY (_stored)
     ), ';', _seen)) THEN
    RETURN false;
  END IF;

  SELECT array_agg(DISTINCT t.transaction_id) FROM (
    SELECT a.transaction_id FROM allocations a
     WHERE a.environment_id = _environment_id AND a.entry_id = ANY (_stored)
     UNION ALL
    SELECT n.transaction_id FROM jsonb_to_recordset(_allocations) AS n (transaction_id text)
  ) t INTO _touched;

  UPDATE statement_entries e SET standing = 'absent'
   WHERE e.environment_id = _environment_id AND e.entry_id = ANY (_stored);
  INSERT INTO statement_entries AS e
    (environment_id, entry_id, class_key, occurrence, account_id, standing, direction, amount_cents, charges_cents,
     currency, booking_date, bank_reference, return_code, outcome, reason, is_decided, line_key)
  SELECT _environment_id, n.entry_id, decode(n.class_key, 'hex'), n.occurrence, n.account_id, n.standing, n.direction,
         n.amount_cents, n.charges_cents, n.currency, n.booking_date, n.bank_reference, n.return_code, n.outcome,
         n.reason, n.is_decided, n.line_key
    FROM jsonb_to_recordset(_entries) AS n (
      entry_id uuid, class_key text, occurrence integer, account_id uuid, standing text, direction text,
      amount_cents bigint, charges_cents bigint, currency text, booking_date date, bank_reference text,
      return_code text, outcome text, reason text, is_decided boolean, line_key text)
  ON CONFLICT ON CONSTRAINT statement_entries_pkey DO UPDATE
    SET standing = excluded.standing, booking_date = excluded.booking_date, charges_cents = excluded.charges_cents,
        bank_reference = excluded.bank_reference, return_code = excluded.return_code,
        outcome = excluded.outcome, reason = excluded.reason, is_decided = excluded.is_decided,
        line_key = excluded.line_key;

  INSERT INTO entry_references (environment_id, reference, class_key)
  SELECT DISTINCT _environment_id, r.reference, decode(n.class_key, 'hex')
    FROM jsonb_to_recordset(_entries) AS n (class_key text, waits_for jsonb),
         jsonb_array_elements_text(n.waits_for) AS r (reference)
  ON CONFLICT ON CONSTRAINT entry_references_pkey DO NOTHING;

  UPDATE allocations a SET state = 'withdrawn'
   WHERE a.environment_id = _environment_id AND a.entry_id = ANY (_stored) AND a.state <> 'withdrawn';
  INSERT INTO allocations AS a
    (environment_id, entry_id, transaction_id, transaction_environment_id, kind, amount_cents, expected_cents,
     confidence, state)
  SELECT _environment_id, n.entry_id, n.transaction_id, n.transaction_environment_id, n.kind, n.amount_cents,
         n.expected_cents, n.confidence, n.state
    FROM jsonb_to_recordset(_allocations) AS n (
      entry_id uuid, transaction_id text, transaction_environment_id integer, kind text, amount_cents bigint,
      expected_cents bigint, confidence text, state text)
  ON CONFLICT ON CONSTRAINT allocations_pkey DO UPDATE
    SET kind = excluded.kind, amount_cents = excluded.amount_cents, confidence = excluded.confidence,
        state = excluded.state;

  INSERT INTO statement_money AS m
    (environment_id, transaction_id, transaction_environment_id, expected_cents, gross_cents, returned_cents,
     other_gross_cents, other_returned_cents, is_decided, decided_at)
  SELECT _environment_id, s.transaction_id, s.transaction_environment_id, s.expected_cents, s.gross_cents,
         s.returned_cents, s.other_gross_cents, s.other_returned_cents, d.decided_at IS NOT NULL, d.decided_at
    FROM (
      SELECT a.transaction_id, min(a.transaction_environment_id) AS transaction_environment_id,
             min(a.expected_cents) AS expected_cents,
             LEAST(COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'payment' AND a.state = 'confirmed'), 0), 9223372036854775807) AS gross_cents,
             LEAST(COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'return' AND a.state = 'confirmed'), 0), 9223372036854775807) AS returned_cents,
             LEAST(COALESCE(sum(a.amount_cents) FILTER (
               WHERE a.kind = 'payment' AND a.state = 'confirmed' AND a.amount_cents <> a.expected_cents), 0), 9223372036854775807) AS other_gross_cents,
             LEAST(COALESCE(sum(a.amount_cents) FILTER (
               WHERE a.kind = 'return' AND a.state = 'confirmed' AND a.amount_cents <> a.expected_cents), 0), 9223372036854775807) AS other_returned_cents
        FROM unnest(_touched) AS t (transaction_id)
       CROSS JOIN LATERAL (
         SELECT o.entry_id, o.transaction_id, o.transaction_environment_id, o.kind, o.amount_cents, o.expected_cents, o.state
           FROM allocations o
          WHERE o.environment_id = _environment_id AND o.transaction_id = t.transaction_id OFFSET 0
       ) AS a
       GROUP BY a.transaction_id
    ) AS s
   CROSS JOIN LATERAL (
     -- A decision is about the money that was known then.
     SELECT max(n.decided_at) AS decided_at
       FROM (
         SELECT o.entry_id FROM allocations o
          WHERE o.environment_id = _environment_id AND o.transaction_id = s.transaction_id AND o.state = 'confirmed' OFFSET 0
       ) AS a
      CROSS JOIN LATERAL (
        SELECT o.is_decided FROM statement_entries o
         WHERE o.environment_id = _environment_id AND o.entry_id = a.entry_id OFFSET 0
      ) AS e
      CROSS JOIN LATERAL (
        SELECT o.action, o.decided_at, o.known_money FROM reconciliation_decisions o
         WHERE o.environment_id = _environment_id AND o.entry_id = a.entry_id AND NOT o.is_superseded
         ORDER BY o.number DESC LIMIT 1
      ) AS n
      WHERE e.is_decided AND n.action = 'accept_difference'
        AND n.known_money -> s.transaction_id = jsonb_build_array(s.gross_cents, s.returned_cents)
   ) AS d
  ON CONFLICT ON CONSTRAINT statement_money_pkey DO UPDATE
    SET gross_cents = excluded.gross_cents, returned_cents = excluded.returned_cents,
        other_gross_cents = excluded.other_gross_cents, other_returned_cents = excluded.other_returned_cents,
        is_decided = excluded.is_decided, decided_at = excluded.decided_at;
  RETURN true;
END $$;
