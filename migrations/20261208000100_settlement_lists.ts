import type { Knex } from 'knex';

/**
 * A list states which contributions one transfer pays. A later list of the same reference replaces
 * the earlier one, which is kept. Nothing was ever stored in settlement_lines. No foreign key leads
 * from it to settlement_lists, because a cluster has the lines distributed before the lists.
 */
const putSettlementList = `
CREATE FUNCTION put_settlement_list(
  _environment_id integer, _reference text, _sha256 bytea, _lines jsonb, _api_key text
) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Stores a list. Returns false and changes nothing if the newest list of the reference is the same.
DECLARE
  _revision integer;
BEGIN
  -- One list of an environment at a time: the row stays locked.
  INSERT INTO matching_progress AS p (environment_id) VALUES (_environment_id)
  ON CONFLICT ON CONSTRAINT matching_progress_pkey DO UPDATE SET seen_lists = p.seen_lists
  RETURNING p.seen_lists + 1 INTO _revision;
  IF _sha256 = (
       SELECT l.sha256 FROM settlement_lists l
        WHERE l.environment_id = _environment_id AND l.reference = _reference
        ORDER BY l.revision DESC LIMIT 1) THEN
    RETURN false;
  END IF;
  UPDATE matching_progress p SET seen_lists = _revision WHERE p.environment_id = _environment_id;
  INSERT INTO settlement_lists (environment_id, reference, revision, sha256, listed_by_api_key)
  VALUES (_environment_id, _reference, _revision, _sha256, _api_key);
  INSERT INTO settlement_lines (environment_id, reference, revision, transaction_id, amount_cents)
  SELECT _environment_id, _reference, _revision, n.transaction_id, n.amount_cents
    FROM jsonb_to_recordset(_lines) AS n (transaction_id text, amount_cents bigint);
  RETURN true;
END $$`;

const signature = 'put_settlement_list(integer, text, bytea, jsonb, text)';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE settlement_lists (
      environment_id integer NOT NULL,
      reference text COLLATE "C" NOT NULL,
      revision integer NOT NULL,
      sha256 bytea NOT NULL,
      listed_by_api_key text COLLATE "C" NOT NULL,
      listed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT settlement_lists_pkey PRIMARY KEY (environment_id, reference, revision),
      CONSTRAINT settlement_lists_revision_key UNIQUE (environment_id, revision),
      CONSTRAINT settlement_lists_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT settlement_lists_reference_length CHECK (char_length(reference) BETWEEN 1 AND 140)
    );
    COMMENT ON COLUMN settlement_lists.revision IS 'number among the lists of the environment; the newest list of a reference counts';
    COMMENT ON COLUMN settlement_lists.sha256 IS 'digest of the lines';
    ALTER TABLE settlement_lines
      ADD COLUMN revision integer NOT NULL,
      DROP CONSTRAINT settlement_lines_pkey,
      DROP CONSTRAINT settlement_lines_reference_length,
      DROP COLUMN listed_at;
    ALTER TABLE settlement_lines
      ADD CONSTRAINT settlement_lines_pkey PRIMARY KEY (environment_id, reference, revision, transaction_id);
    GRANT SELECT (environment_id, reference, revision, sha256),
          INSERT (environment_id, reference, revision, sha256, listed_by_api_key)
      ON settlement_lists TO contribution_service;
    GRANT SELECT (environment_id, reference, revision, transaction_id, amount_cents),
          INSERT (environment_id, reference, revision, transaction_id, amount_cents)
      ON settlement_lines TO contribution_service`);
  await knex.raw(putSettlementList);
  // It runs with the privileges of the caller, so the grants of columns still apply.
  await knex.raw(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${signature} TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP FUNCTION ${signature}`);
  // The earlier table has no place for lists that replaced others.
  await knex.raw('DELETE FROM settlement_lines WHERE environment_id IS NOT NULL');
  await knex.raw(`
    ALTER TABLE settlement_lines DROP CONSTRAINT settlement_lines_pkey, DROP COLUMN revision;
    ALTER TABLE settlement_lines ADD COLUMN listed_at timestamptz;
    ALTER TABLE settlement_lines ALTER COLUMN listed_at SET DEFAULT clock_timestamp();
    ALTER TABLE settlement_lines ALTER COLUMN listed_at SET NOT NULL;
    ALTER TABLE settlement_lines
      ADD CONSTRAINT settlement_lines_reference_length CHECK (char_length(reference) BETWEEN 1 AND 140);
    ALTER TABLE settlement_lines
      ADD CONSTRAINT settlement_lines_pkey PRIMARY KEY (environment_id, reference, transaction_id);
    REVOKE SELECT (amount_cents), INSERT ON settlement_lines FROM contribution_service;
    DROP TABLE settlement_lists`);
}
