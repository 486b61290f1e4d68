CREATE OR REPLACE FUNCTION settle_webhook_retries(
  _environment_id integer, _endpoint_id uuid, _batch jsonb, _is_unchanged boolean, _now timestamptz
) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Ends, reschedules and adds the retries of a batch, for settle_webhook_batch. A failed attempt
-- counts only if _is_unchanged. An event without an attempt and without a wait waits for
-- an earlier retry of its subject. Looks up each retry, as free_next_webhook_retries does.
DECLARE
  _ends_outage boolean := _batch ->> 'ends_outage';
  _event_id uuid;
  _retry record;
  _subject text;
  _ended text[];
BEGIN
  FOR _event_id IN
    SELECT r.id::uuid FROM jsonb_array_elements_text(_batch -> 'removed') AS r (id)
     UNION ALL
    SELECT e.id::uuid FROM jsonb_array_elements_text(_batch -> 'exhausted') AS e (id) WHERE _is_unchanged
  LOOP
    DELETE FROM webhook_retries r
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = _event_id
    RETURNING r.transaction_id INTO _subject;
    _ended := _ended || _subject;
  END LOOP;
  -- Before the new failures, which are not part of what has ended.
  IF (_batch ->> 'ends_failures')::boolean THEN
    UPDATE webhook_retries r
       SET attempts = CASE WHEN _ends_outage THEN r.attempts - r.outage_attempts ELSE r.attempts END,
           outage_attempts = 0,
           next_attempt_at = CASE WHEN _ends_outage THEN _now ELSE r.next_attempt_at END
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.outage_attempts > 0;
  END IF;
  FOR _retry IN
    SELECT d.* FROM jsonb_to_recordset(_batch -> 'rescheduled')
        AS d (event_id uuid, attempts smallint, outage_attempts smallint, wait_seconds float8)
     WHERE d.attempts = 0 OR _is_unchanged
  LOOP
    UPDATE webhook_retries r
       SET attempts = r.attempts + _retry.attempts, outage_attempts = r.outage_attempts + _retry.outage_attempts,
           next_attempt_at = _now + _retry.wait_seconds * interval '1 second'
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = _retry.event_id;
  END LOOP;
  IF jsonb_array_length(_batch -> 'postponed') > 0 THEN
    INSERT INTO webhook_retries
      (environment_id, endpoint_id, event_id, sequence, transaction_id, attempts, outage_attempts,
       next_attempt_at, created_at)
    SELECT _environment_id, _endpoint_id, d.event_id, d.sequence, d.transaction_id,
           CASE WHEN _is_unchanged THEN d.attempts ELSE 0 END,
           CASE WHEN _is_unchanged THEN d.outage_attempts ELSE 0 END,
           CASE WHEN d.attempts = 0 AND d.wait_seconds = 0 THEN 'infinity'
                WHEN d.attempts = 0 OR _is_unchanged THEN _now + d.wait_seconds * interval '1 second'
                ELSE _now END, _now
      FROM jsonb_to_recordset(_batch -> 'postponed')
        AS d (event_id uuid, sequence bigint, transaction_id text, attempts smallint, outage_attempts smallint,
              wait_seconds float8)
    ON CONFLICT ON CONSTRAINT webhook_retries_pkey DO NOTHING;
  END IF;
  -- The earlier retry for which a new one waits can have ended in the meantime.
  SELECT _ended || array_agg(d.transaction_id)
    FROM jsonb_to_recordset(_batch -> 'postponed')
      AS d (transaction_id text, attempts smallint, wait_seconds float8)
   WHERE d.attempts = 0 AND d.wait_seconds = 0
    INTO _ended;
  IF _ended IS NOT NULL THEN
    PERFORM free_next_webhook_retries(_environment_id, _endpoint_id, _ended);
  END IF;
END $$;
