CREATE OR REPLACE FUNCTION settle_webhook_batch(
  _environment_id integer, _endpoint_id uuid, _lease_id uuid, _batch jsonb
) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Records the attempts of a batch and advances the position, all or nothing. Returns whether the
-- session may continue, or null if the lease was lost and nothing was recorded.
DECLARE
  _now timestamptz := clock_timestamp();
  _lease_end timestamptz := _now + interval '30 seconds';
  _retry record;
  _is_unchanged boolean;
  _continues boolean;
  _removed jsonb;
  _removed_id uuid;
  _subject text;
  _ended text[];
  _blocked text[];
BEGIN
  SELECT w.updated_at = (_batch ->> 'settings')::timestamptz AND w.disabled_at IS NULL
    FROM webhook_endpoints w
   WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id AND w.lease_id = _lease_id
     FOR UPDATE
    INTO _is_unchanged;
  IF _is_unchanged IS NULL THEN
    RETURN NULL;
  END IF;
  _continues := _is_unchanged AND (_batch ->> 'continues')::boolean AND _batch ->> 'disabled_reason' IS NULL;
  UPDATE webhook_endpoints w
     SET position = GREATEST(w.position, (_batch ->> 'position')::bigint),
         delivered_at = CASE WHEN (_batch ->> 'has_success')::boolean THEN _now ELSE w.delivered_at END,
         leased_until = CASE WHEN _continues THEN _lease_end END
   WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id;
  -- A partner who changed the settings meanwhile also decided how the deliveries go on.
  IF _is_unchanged AND (_batch -> 'health') <> 'null' THEN
    UPDATE webhook_endpoints w
       SET failure_count = (_batch #>> '{health,failure_count}')::integer,
           failing_since = CASE WHEN _batch #>> '{health,failing_since}' = 'before' THEN COALESCE(w.failing_since, _now)
                                WHEN _batch #>> '{health,failing_since}' = 'now' THEN _now END,
           next_probe_at = _now + (_batch #>> '{health,next_probe_seconds}')::float8 * interval '1 second',
           probe_count = (_batch #>> '{health,probe_count}')::integer,
           notice_count = (_batch #>> '{health,notice_count}')::smallint,
           disabled_at = CASE WHEN _batch ->> 'disabled_reason' IS NOT NULL THEN _now END,
           disabled_reason = _batch ->> 'disabled_reason'
     WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id;
  END IF;
  IF _is_unchanged THEN
    PERFORM append_environment_event(_environment_id, n.event_id, n.type, _now, '{}', n.data)
       FROM jsonb_to_recordset((_batch -> 'exhausted_notices') || (_batch -> 'health_notices'))
         AS n (event_id uuid, type text, data jsonb);
  END IF;
  IF jsonb_array_length(_batch -> 'attempts') > 0 THEN
    INSERT INTO webhook_attempts
      (environment_id, attempt_id, endpoint_id, event_id, attempted_at, kind, attempt, outcome, failure, status,
       duration_ms, response)
    SELECT _environment_id, a.attempt_id, _endpoint_id, a.event_id,
           _now - a.ended_ms_ago * interval '1 millisecond', a.kind, a.attempt,
           CASE WHEN _is_unchanged OR a.outcome <> 'exhausted' THEN a.outcome ELSE 'failed' END, a.failure, a.status,
           a.duration_ms, a.response
      FROM jsonb_to_recordset(_batch -> 'attempts')
        AS a (attempt_id uuid, event_id uuid, ended_ms_ago integer, kind text, attempt smallint, outcome text,
              failure text, status smallint, duration_ms integer, response text);
  END IF;
  _removed := _batch -> 'removed' || CASE WHEN _is_unchanged THEN _batch -> 'exhausted' ELSE '[]' END;
  IF jsonb_array_length(_removed) > 0 THEN
    FOR _removed_id IN SELECT d.id::uuid FROM jsonb_array_elements_text(_removed) AS d (id)
    LOOP
      DELETE FROM webhook_retries r
       WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = _removed_id
      RETURNING r.transaction_id INTO _subject;
      _ended := _ended || _subject;
    END LOOP;
  END IF;
  -- Before the new failures, which are not part of what has ended.
  IF (_batch ->> 'ends_failures')::boolean THEN
    UPDATE webhook_retries r
       SET attempts = CASE WHEN (_batch ->> 'ends_outage')::boolean THEN r.attempts - r.outage_attempts
                           ELSE r.attempts END,
           outage_attempts = 0,
           next_attempt_at = CASE WHEN (_batch ->> 'ends_outage')::boolean THEN _now ELSE r.next_attempt_at END
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.outage_attempts > 0;
  END IF;
  IF jsonb_array_length(_batch -> 'rescheduled') > 0 THEN
    FOR _retry IN
      SELECT d.event_id, d.attempts, d.outage_attempts,
             _now + d.wait_seconds * interval '1 second' AS next_attempt_at
        FROM jsonb_to_recordset(_batch -> 'rescheduled')
          AS d (event_id uuid, attempts smallint, outage_attempts smallint, wait_seconds float8)
       WHERE _is_unchanged OR d.attempts = 0
    LOOP
      UPDATE webhook_retries r
         SET attempts = r.attempts + _retry.attempts, outage_attempts = r.outage_attempts + _retry.outage_attempts,
             next_attempt_at = _retry.next_attempt_at
       WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = _retry.event_id;
    END LOOP;
  END IF;
  IF jsonb_array_length(_batch -> 'postponed') > 0 THEN
    INSERT INTO webhook_retries
      (environment_id, endpoint_id, event_id, sequence, transaction_id, attempts, outage_attempts,
       next_attempt_at, created_at)
    SELECT _environment_id, _endpoint_id, d.event_id, d.sequence, d.transaction_id,
           CASE WHEN _is_unchanged THEN d.attempts ELSE 0 END,
           CASE WHEN _is_unchanged THEN d.outage_attempts ELSE 0 END,
           CASE WHEN d.attempts = 0 AND d.wait_seconds = 0 THEN 'infinity'
                WHEN _is_unchanged OR d.attempts = 0 THEN _now + d.wait_seconds * interval '1 second' ELSE _now END, _now
      FROM jsonb_to_recordset(_batch -> 'postponed')
        AS d (event_id uuid, sequence bigint, transaction_id text, attempts smallint, outage_attempts smallint,
              wait_seconds float8)
    ON CONFLICT ON CONSTRAINT webhook_retries_pkey DO NOTHING;
    SELECT array_agg(d.transaction_id)
      FROM jsonb_to_recordset(_batch -> 'postponed') AS d (transaction_id text, attempts smallint, wait_seconds float8)
     WHERE d.attempts = 0 AND d.wait_seconds = 0
      INTO _blocked;
  END IF;
  _ended := _ended || _blocked;
  IF _ended IS NOT NULL THEN
    PERFORM free_next_webhook_retries(_environment_id, _endpoint_id, _ended);
  END IF;
  IF _continues THEN
    PERFORM check_webhook_retries(_environment_id, _endpoint_id);
  END IF;
  RETURN _continues;
END $$;
