CREATE OR REPLACE FUNCTION publish_upload(
  _environment_id integer, _upload_id uuid, _claim_id uuid, _file jsonb, _statements jsonb, _days jsonb
) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Ends an upload that was read, deletes its bytes, and publishes its statements. Returns false and changes
-- nothing if the claim was lost: another process reads the upload, or a person has voided it.
BEGIN
  UPDATE statement_uploads u
     SET state = 'read', ended_at = statement_timestamp(), claim_id = NULL, claimed_until = NULL,
         format = _file ->> 'format', version = _file ->> 'version', problems = _file -> 'problems',
         statement_count = jsonb_array_length(_statements), read_lines = (_file ->> 'lines')::integer
   WHERE u.environment_id = _environment_id AND u.upload_id = _upload_id AND u.claim_id = _claim_id
     AND u.state = 'reading';
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM statement_upload_chunks c WHERE c.environment_id = _environment_id AND c.upload_id = _upload_id;
  PERFORM publish_statements(_environment_id, _statements, _days);
  RETURN true;
END $$;
