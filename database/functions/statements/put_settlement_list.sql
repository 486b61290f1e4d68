CREATE OR REPLACE FUNCTION put_settlement_list(
  _environment_id integer, _reference text, _sha256 bytea, _lines jsonb, _api_key text
) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Stores a list. Returns false and changes nothing if the newest list of the reference is the same.
DECLARE
  _revision integer;
BEGIN
  -- One list of an environment at a time: the row stays locked.
  INSERT INTO comparing_progress AS p (environment_id, sequence, list_revision, link_changes)
  SELECT _environment_id,
         COALESCE((SELECT f.last_sequence FROM feeds f WHERE f.environment_id = _environment_id), 0), 0, 0
  ON CONFLICT ON CONSTRAINT comparing_progress_pkey DO UPDATE SET list_revision = p.list_revision;
  SELECT COALESCE(max(l.revision), 0) + 1 FROM settlement_lists l
   WHERE l.environment_id = _environment_id INTO _revision;
  IF _sha256 = (
       SELECT l.sha256 FROM settlement_lists l
        WHERE l.environment_id = _environment_id AND l.reference = _reference
        ORDER BY l.revision DESC LIMIT 1) THEN
    RETURN false;
  END IF;
  INSERT INTO settlement_lists (environment_id, reference, revision, sha256, listed_by_api_key)
  VALUES (_environment_id, _reference, _revision, _sha256, _api_key);
  INSERT INTO settlement_lines (environment_id, reference, revision, transaction_id, amount_cents)
  SELECT _environment_id, _reference, _revision, n.transaction_id, n.amount_cents
    FROM jsonb_to_recordset(_lines) AS n (transaction_id text, amount_cents bigint);
  RETURN true;
END $$;
