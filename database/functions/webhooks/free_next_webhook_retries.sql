CREATE OR REPLACE FUNCTION free_next_webhook_retries(
  _environment_id integer, _endpoint_id uuid, _subjects text[]
) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Makes the first retry of each subject due, if it waited for an earlier one. Others wait for the end
-- of the one before them. Looks up each one: in one statement for all of them, a generic plan reads
-- all retries of the endpoint.
DECLARE
  _now timestamptz := clock_timestamp();
  _event_id uuid;
BEGIN
  FOR _event_id IN
    SELECT next.event_id
      FROM unnest(_subjects) AS s (transaction_id)
     CROSS JOIN LATERAL (
       SELECT r.event_id, r.next_attempt_at FROM webhook_retries r
        WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id
          AND r.transaction_id = s.transaction_id
        ORDER BY r.sequence LIMIT 1
     ) AS next
     WHERE NOT isfinite(next.next_attempt_at)
  LOOP
    UPDATE webhook_retries r SET next_attempt_at = _now
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = _event_id;
  END LOOP;
END $$;
