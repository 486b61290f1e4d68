CREATE OR REPLACE FUNCTION settle_webhook_batch(
  _environment_id integer, _endpoint_id uuid, _lease_id uuid, _batch jsonb
) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Records the attempts of a batch and advances the position, all or nothing. Returns whether the
-- session may continue, or null if the lease was lost and nothing was recorded. A session with old
-- settings starts no attempt, and ends when its late attempts are recorded. Failures at a URL that the
-- partner has changed meanwhile do not count, nor does anything if the earlier failures are forgotten,
-- as by an enable. Both cost the partner a failed ping. Other changes are free, so failures count in
-- spite of them.
DECLARE
  _now timestamptz := clock_timestamp();
  -- Citus rejects such a sum inside CASE.
  _lease_end timestamptz := _now + interval '30 seconds';
  _disabled_reason text := _batch ->> 'disabled_reason';
  _is_current boolean;
  _counts boolean;
  _continues boolean;
  _health record;
BEGIN
  SELECT w.updated_at = (_batch ->> 'settings')::timestamptz,
         -- A release without `url` counts only with its settings.
         w.disabled_at IS NULL
           AND COALESCE(w.url = _batch ->> 'url' AND w.verified_at IS NOT NULL
                          AND w.failure_count = (_batch ->> 'failures_before')::integer,
                        w.updated_at = (_batch ->> 'settings')::timestamptz),
         w.disabled_at IS NULL
    FROM webhook_endpoints w
   WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id AND w.lease_id = _lease_id
     FOR UPDATE
    INTO _is_current, _counts, _continues;
  IF _continues IS NULL THEN
    RETURN NULL;
  END IF;
  -- A session of a frozen company ends like one with old settings.
  PERFORM FROM environments e JOIN companies c ON c.company_id = e.company_id
    WHERE e.environment_id = _environment_id AND c.frozen_at IS NOT NULL;
  IF FOUND THEN
    _is_current := false;
  END IF;
  _continues := _continues AND (_is_current OR COALESCE((_batch ->> 'has_late')::boolean, false))
    AND (_batch ->> 'continues')::boolean AND _disabled_reason IS NULL;
  UPDATE webhook_endpoints w
     SET position = GREATEST(w.position, (_batch ->> 'position')::bigint),
         delivered_at = CASE WHEN (_batch ->> 'has_success')::boolean THEN _now ELSE w.delivered_at END,
         leased_until = CASE WHEN _continues THEN _lease_end END
   WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id;
  IF _counts AND (_batch -> 'health') <> 'null' THEN
    SELECT h.* FROM jsonb_to_record(_batch -> 'health')
        AS h (failure_count integer, failing_since text, next_probe_seconds float8, probe_count integer,
              notice_count smallint)
      INTO _health;
    UPDATE webhook_endpoints w
       SET failure_count = _health.failure_count,
           failing_since = CASE WHEN _health.failing_since = 'before' THEN COALESCE(w.failing_since, _now)
                                WHEN _health.failing_since = 'now' THEN _now END,
           next_probe_at = _now + _health.next_probe_seconds * interval '1 second',
           probe_count = _health.probe_count,
           notice_count = _health.notice_count,
           disabled_at = CASE WHEN _disabled_reason IS NOT NULL THEN _now END,
           disabled_reason = _disabled_reason
     WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id;
  END IF;
  IF _counts THEN
    PERFORM append_environment_event(_environment_id, n.event_id, n.type, _now, '{}', n.data)
       FROM jsonb_to_recordset((_batch -> 'exhausted_notices') || (_batch -> 'health_notices'))
         AS n (event_id uuid, type text, data jsonb);
  END IF;
  -- Most batches have no attempt to record, and on Citus an INSERT of no rows takes a millisecond.
  IF jsonb_array_length(_batch -> 'attempts') > 0 THEN
    INSERT INTO webhook_attempts
      (environment_id, attempt_id, endpoint_id, event_id, attempted_at, kind, attempt, outcome, failure, status,
       duration_ms, response)
    SELECT _environment_id, a.attempt_id, _endpoint_id, a.event_id,
           _now - a.ended_ms_ago * interval '1 millisecond', a.kind, a.attempt,
           CASE WHEN a.outcome = 'exhausted' AND NOT _counts THEN 'failed' ELSE a.outcome END, a.failure,
           a.status, a.duration_ms, a.response
      FROM jsonb_to_recordset(_batch -> 'attempts')
        AS a (attempt_id uuid, event_id uuid, ended_ms_ago integer, kind text, attempt smallint, outcome text,
              failure text, status smallint, duration_ms integer, response text);
  END IF;
  -- A batch of an earlier release has none.
  IF jsonb_array_length(COALESCE(_batch -> 'delivered', '[]')) > 0 THEN
    INSERT INTO webhook_deliveries
      (environment_id, endpoint_id, first_attempt_id, kind, first_sequence, last_sequence, recorded_at,
       sequence_offsets, statuses, started_ms_ago, durations_ms)
    SELECT _environment_id, _endpoint_id, d.first_attempt_id, 'first', d.first_sequence, d.last_sequence, _now,
           d.sequence_offsets, d.statuses, d.started_ms_ago, d.durations_ms
      FROM jsonb_to_recordset(_batch -> 'delivered')
        AS d (first_attempt_id uuid, first_sequence bigint, last_sequence bigint, sequence_offsets smallint[],
              statuses smallint[], started_ms_ago integer[], durations_ms integer[]);
  END IF;
  PERFORM settle_webhook_retries(_environment_id, _endpoint_id, _batch, _counts, _now);
  IF _continues AND _is_current THEN
    PERFORM check_webhook_retries(_environment_id, _endpoint_id);
  END IF;
  RETURN _continues;
END $$;
