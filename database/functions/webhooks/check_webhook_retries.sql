CREATE OR REPLACE FUNCTION check_webhook_retries(_environment_id integer, _endpoint_id uuid) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Applies changed settings of an endpoint to its next 250 retries. Ends those of types that it no
-- longer receives. Makes failed ones due if the failures were forgotten. The caller has locked the
-- endpoint, so a batch that was recorded before is visible.
DECLARE
  _most CONSTANT integer := 250;
  _now timestamptz := clock_timestamp();
  _types text[];
  _after uuid;
  _frees boolean;
  _retry record;
  _last uuid;
  _count integer := 0;
  _ended text[];
BEGIN
  SELECT w.types, w.retries_checked_to, w.frees_retries FROM webhook_endpoints w
   WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id
    INTO _types, _after, _frees;
  IF _after IS NULL THEN
    RETURN;
  END IF;
  FOR _retry IN
    SELECT r.event_id, r.transaction_id, r.outage_attempts,
           (SELECT e.type FROM feed_events e
             WHERE e.environment_id = _environment_id AND e.event_id = r.event_id) AS type
      FROM webhook_retries r
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id > _after
     ORDER BY r.event_id
     LIMIT _most
  LOOP
    _count := _count + 1;
    _last := _retry.event_id;
    IF cardinality(_types) > 0 AND _retry.type <> ALL (_types) THEN
      DELETE FROM webhook_retries r
       WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = _last;
      _ended := _ended || _retry.transaction_id;
    ELSIF _frees AND _retry.outage_attempts > 0 THEN
      -- As after an outage, failures since the last success no longer count toward the last retry.
      UPDATE webhook_retries r
         SET attempts = r.attempts - r.outage_attempts, outage_attempts = 0, next_attempt_at = _now
       WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = _last;
    END IF;
  END LOOP;
  IF _ended IS NOT NULL THEN
    PERFORM free_next_webhook_retries(_environment_id, _endpoint_id, _ended);
  END IF;
  UPDATE webhook_endpoints w
     SET retries_checked_to = CASE WHEN _count = _most THEN _last END,
         frees_retries = CASE WHEN _count = _most THEN w.frees_retries END
   WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id;
END $$;
