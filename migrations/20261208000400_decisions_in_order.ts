import type { Knex } from 'knex';

/**
 * Decisions about entries. They are only appended. Each has a number, so that a decision whose
 * entry was not derived again is found after a crash. Nothing was ever stored in the table.
 */
const decideEntry = `
CREATE FUNCTION decide_entry(
  _environment_id integer, _entry_id uuid, _decision_id uuid, _action text, _allocations jsonb, _reason text,
  _api_key text
) RETURNS uuid LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Appends a decision, and returns its id. Returns the id of the newest decision of the entry if that
-- is the same, and null if the environment has no such entry.
DECLARE
  _number integer;
  _same uuid;
BEGIN
  -- One decision of an environment at a time.
  UPDATE matching_progress p SET seen_decisions = p.seen_decisions WHERE p.environment_id = _environment_id
  RETURNING p.seen_decisions + 1 INTO _number;
  SELECT n.decision_id
    FROM (SELECT d.decision_id, d.action, d.allocations, d.reason FROM reconciliation_decisions d
           WHERE d.environment_id = _environment_id AND d.entry_id = _entry_id
           ORDER BY d.number DESC LIMIT 1) AS n
   WHERE n.action = _action AND n.allocations = _allocations AND n.reason = _reason
    INTO _same;
  IF _same IS NOT NULL THEN
    RETURN _same;
  END IF;
  INSERT INTO reconciliation_decisions
    (environment_id, decision_id, number, entry_id, action, allocations, reason, decided_by_api_key)
  SELECT _environment_id, _decision_id, _number, e.entry_id, _action, _allocations, _reason, _api_key
    FROM statement_entries e
   WHERE e.environment_id = _environment_id AND e.entry_id = _entry_id AND e.standing <> 'absent';
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  UPDATE matching_progress p SET seen_decisions = _number WHERE p.environment_id = _environment_id;
  RETURN _decision_id;
END $$`;

const signature = 'decide_entry(integer, uuid, uuid, text, jsonb, text, text)';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE matching_progress
      ADD COLUMN seen_decisions integer NOT NULL DEFAULT 0,
      ADD COLUMN matched_decisions integer NOT NULL DEFAULT 0,
      ADD CONSTRAINT matching_progress_decisions_seen_first CHECK (matched_decisions <= seen_decisions);
    ALTER TABLE reconciliation_decisions ADD COLUMN number integer NOT NULL;
    ALTER TABLE reconciliation_decisions
      ADD CONSTRAINT reconciliation_decisions_number_key UNIQUE (environment_id, number);
    COMMENT ON COLUMN reconciliation_decisions.number IS 'number among the decisions of the environment; the newest one of an entry counts';
    GRANT SELECT (seen_decisions, matched_decisions), UPDATE (seen_decisions, matched_decisions)
      ON matching_progress TO contribution_service;
    GRANT SELECT (number, reason), INSERT (environment_id, decision_id, number, entry_id, action, allocations, reason, decided_by_api_key)
      ON reconciliation_decisions TO contribution_service;
    GRANT SELECT (account_id) ON statement_entries TO contribution_service`);
  await knex.raw(decideEntry);
  // It runs with the privileges of the caller, so the grants of columns still apply.
  await knex.raw(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${signature} TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP FUNCTION ${signature};
    REVOKE INSERT ON reconciliation_decisions FROM contribution_service;
    REVOKE SELECT (reason) ON reconciliation_decisions FROM contribution_service;
    REVOKE SELECT (account_id) ON statement_entries FROM contribution_service;
    ALTER TABLE reconciliation_decisions DROP COLUMN number;
    ALTER TABLE matching_progress DROP COLUMN seen_decisions, DROP COLUMN matched_decisions`);
}
