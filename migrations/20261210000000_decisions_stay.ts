import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

/**
 * A decision of before is not repeated after a newer one, and stays with the line that it is about.
 * The last argument is optional, so processes of before still call the function.
 */
const decideEntry = `
CREATE FUNCTION decide_entry(
  _environment_id integer, _entry_id uuid, _decision_id uuid, _action text, _allocations jsonb, _reason text,
  _api_key text, _seen integer DEFAULT NULL
) RETURNS text LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Appends a decision: 'appended'. 'same': it is the newest decision of the entry. 'superseded': a
-- newer one replaced it, or the newest one is not the one that the caller has seen (_seen, a number).
-- Null: the environment has no such entry. With _seen, contributions were completed, so the entry may
-- be absent since then.
DECLARE
  _number integer;
  _newest integer;
  _same integer;
BEGIN
  -- One decision of an environment at a time.
  UPDATE matching_progress p SET seen_decisions = p.seen_decisions WHERE p.environment_id = _environment_id
  RETURNING p.seen_decisions + 1 INTO _number;
  SELECT COALESCE(max(d.number), 0),
         max(d.number) FILTER (WHERE d.action = _action AND d.allocations = _allocations AND d.reason = _reason)
    FROM reconciliation_decisions d
   WHERE d.environment_id = _environment_id AND d.entry_id = _entry_id
    INTO _newest, _same;
  IF _same = _newest THEN
    RETURN 'same';
  END IF;
  IF _same < _newest OR _seen <> _newest THEN
    RETURN 'superseded';
  END IF;
  INSERT INTO reconciliation_decisions
    (environment_id, decision_id, number, entry_id, action, allocations, reason, decided_by_api_key, line_key)
  SELECT _environment_id, _decision_id, _number, e.entry_id, _action, _allocations, _reason, _api_key, e.line_key
    FROM statement_entries e
   WHERE e.environment_id = _environment_id AND e.entry_id = _entry_id
     AND (e.standing <> 'absent' OR _seen IS NOT NULL);
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  UPDATE matching_progress p SET seen_decisions = _number WHERE p.environment_id = _environment_id;
  RETURN 'appended';
END $$`;

const signature = 'decide_entry(integer, uuid, uuid, text, jsonb, text, text, integer)';
const earlierSignature = 'decide_entry(integer, uuid, uuid, text, jsonb, text, text)';

const putSignature = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';

/** The parts of the function that stores entries, before and after. */
const changes: readonly (readonly [before: string, after: string])[] = [
  ['return_code, outcome, reason, is_decided)\n', 'return_code, outcome, reason, is_decided, line_key)\n'],
  ['         n.reason, n.is_decided\n', '         n.reason, n.is_decided, n.line_key\n'],
  ['reason text, is_decided boolean)', 'reason text, is_decided boolean, line_key text)'],
  [
    'reason = excluded.reason, is_decided = excluded.is_decided;',
    'reason = excluded.reason, is_decided = excluded.is_decided,\n        line_key = excluded.line_key;',
  ],
];

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE statement_entries ADD COLUMN line_key text COLLATE "C";
    ALTER TABLE reconciliation_decisions ADD COLUMN line_key text COLLATE "C";
    COMMENT ON COLUMN statement_entries.line_key IS 'digest of what tells its line from others with the same bank reference';
    COMMENT ON COLUMN reconciliation_decisions.line_key IS 'the line of the entry when it was decided; null for decisions of before';
    GRANT SELECT (line_key), INSERT (line_key), UPDATE (line_key) ON statement_entries TO contribution_service;
    GRANT SELECT (line_key), INSERT (line_key) ON reconciliation_decisions TO contribution_service`);
  for (const [before, after] of changes) await replaceInFunction(knex, putSignature, before, after);
  await knex.raw(`DROP FUNCTION ${earlierSignature}`);
  await knex.raw(decideEntry);
  // It runs with the privileges of the caller, so the grants of columns still apply.
  await knex.raw(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${signature} TO contribution_service`);
}

/** As the migration of before created it. */
const earlierFunction = `
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

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP FUNCTION ${signature}`);
  await knex.raw(earlierFunction);
  await knex.raw(`REVOKE ALL ON FUNCTION ${earlierSignature} FROM PUBLIC`);
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${earlierSignature} TO contribution_service`);
  // The columns that are read go last.
  for (const [before, after] of [...changes].reverse())
    await replaceInFunction(knex, putSignature, after, before);
  await knex.raw(`
    ALTER TABLE reconciliation_decisions DROP COLUMN line_key;
    ALTER TABLE statement_entries DROP COLUMN line_key`);
}
