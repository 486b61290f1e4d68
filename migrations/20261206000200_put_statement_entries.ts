import type { Knex } from 'knex';

/**
 * Stores what follows from the lines of statements: entries, allocations and the sums of money. The
 * service computes it from all lines that identify the same entries. Citus runs the function on the
 * server that has the environment.
 */
const putStatementEntries = `
CREATE FUNCTION put_statement_entries(
  _environment_id integer, _class_keys bytea[], _basis text, _entries jsonb, _allocations jsonb
) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Replaces the entries of these classes and their allocations, and adds up the money of the
-- transactions that change. Returns false and changes nothing if the lines, their parts or the
-- decisions are no longer those that the caller has read (_basis, a digest of their ids).
DECLARE
  _touched text[];
BEGIN
  -- One change of an environment at a time. The statements below see all earlier ones.
  PERFORM pg_advisory_xact_lock(1398033748, _environment_id);
  IF _basis IS DISTINCT FROM md5(concat((
       SELECT string_agg(s.file_id || ' ' || s.place, ',' ORDER BY s.file_id, s.place) FROM entry_sources s
         JOIN statement_files f ON f.environment_id = s.environment_id AND f.file_id = s.file_id
        WHERE s.environment_id = _environment_id AND s.class_key = ANY (_class_keys)
          AND f.state <> 'receiving' AND f.voided_at IS NULL
     ), ';', (
       SELECT string_agg(s.file_id || ' ' || s.place, ',' ORDER BY s.file_id, s.place) FROM entry_sources s
         JOIN statement_files f ON f.environment_id = s.environment_id AND f.file_id = s.file_id
        WHERE s.environment_id = _environment_id AND s.parent_key = ANY (_class_keys)
          AND f.state <> 'receiving' AND f.voided_at IS NULL
     ), ';', (
       SELECT string_agg(d.decision_id::text, ',' ORDER BY d.decision_id) FROM reconciliation_decisions d
         JOIN statement_entries e ON e.environment_id = d.environment_id AND e.entry_id = d.entry_id
        WHERE d.environment_id = _environment_id AND e.class_key = ANY (_class_keys)
     ))) THEN
    RETURN false;
  END IF;

  SELECT array_agg(DISTINCT t.transaction_id) FROM (
    SELECT a.transaction_id FROM allocations a
      JOIN statement_entries e ON e.environment_id = a.environment_id AND e.entry_id = a.entry_id
     WHERE a.environment_id = _environment_id AND e.class_key = ANY (_class_keys)
     UNION ALL
    SELECT n.transaction_id FROM jsonb_to_recordset(_allocations) AS n (transaction_id text)
  ) t INTO _touched;

  UPDATE statement_entries e SET standing = 'absent'
   WHERE e.environment_id = _environment_id AND e.class_key = ANY (_class_keys);
  INSERT INTO statement_entries AS e
    (environment_id, entry_id, class_key, occurrence, account_id, standing, direction, amount_cents, charges_cents,
     currency, booking_date, bank_reference, return_code, outcome, reason, is_decided)
  SELECT _environment_id, n.entry_id, decode(n.class_key, 'hex'), n.occurrence, n.account_id, n.standing, n.direction,
         n.amount_cents, n.charges_cents, n.currency, n.booking_date, n.bank_reference, n.return_code, n.outcome,
         n.reason, n.is_decided
    FROM jsonb_to_recordset(_entries) AS n (
      entry_id uuid, class_key text, occurrence integer, account_id uuid, standing text, direction text,
      amount_cents bigint, charges_cents bigint, currency text, booking_date date, bank_reference text,
      return_code text, outcome text, reason text, is_decided boolean)
  ON CONFLICT ON CONSTRAINT statement_entries_pkey DO UPDATE
    SET standing = excluded.standing, charges_cents = excluded.charges_cents,
        bank_reference = excluded.bank_reference, return_code = excluded.return_code,
        outcome = excluded.outcome, reason = excluded.reason, is_decided = excluded.is_decided;

  UPDATE allocations a SET state = 'withdrawn'
    FROM statement_entries e
   WHERE a.environment_id = _environment_id AND e.environment_id = _environment_id AND e.entry_id = a.entry_id
     AND e.class_key = ANY (_class_keys) AND a.state <> 'withdrawn';
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
     other_gross_cents, other_returned_cents, is_decided)
  SELECT a.environment_id, a.transaction_id, min(a.transaction_environment_id), min(a.expected_cents),
         COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'payment' AND a.state = 'confirmed'), 0),
         COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'return' AND a.state = 'confirmed'), 0),
         COALESCE(sum(a.amount_cents) FILTER (
           WHERE a.kind = 'payment' AND a.state = 'confirmed' AND a.amount_cents <> a.expected_cents), 0),
         COALESCE(sum(a.amount_cents) FILTER (
           WHERE a.kind = 'return' AND a.state = 'confirmed' AND a.amount_cents <> a.expected_cents), 0),
         COALESCE(bool_or(e.is_decided AND a.state = 'confirmed'), false)
    FROM allocations a
    JOIN statement_entries e ON e.environment_id = a.environment_id AND e.entry_id = a.entry_id
   WHERE a.environment_id = _environment_id AND a.transaction_id = ANY (_touched)
   GROUP BY a.environment_id, a.transaction_id
  ON CONFLICT ON CONSTRAINT statement_money_pkey DO UPDATE
    SET gross_cents = excluded.gross_cents, returned_cents = excluded.returned_cents,
        other_gross_cents = excluded.other_gross_cents, other_returned_cents = excluded.other_returned_cents,
        is_decided = excluded.is_decided;
  RETURN true;
END $$`;

const signature = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(putStatementEntries);
  // It runs with the privileges of the caller, so the grants of columns still apply.
  await knex.raw(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${signature} TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP FUNCTION ${signature}`);
}
