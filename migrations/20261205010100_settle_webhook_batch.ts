import type { Knex } from 'knex';

const settle = `
CREATE FUNCTION settle_webhook_batch(_environment_id integer, _endpoint_id uuid, _lease_id uuid, _batch jsonb)
RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Records the attempts of a batch and advances the position, all or nothing. Returns whether the
-- session may continue, or null if the lease was lost and nothing was recorded.
DECLARE
  _now timestamptz := clock_timestamp();
  _is_unchanged boolean;
  _continues boolean;
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
         leased_until = CASE WHEN _continues THEN _now + interval '30 seconds' END
   WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id;
  -- A partner who changed the settings meanwhile also decided how the deliveries go on.
  IF _is_unchanged AND (_batch -> 'health') <> 'null' THEN
    UPDATE webhook_endpoints w
       SET failure_count = (_batch #>> '{health,failure_count}')::integer,
           failing_since = CASE _batch #>> '{health,failing_since}'
                                WHEN 'before' THEN COALESCE(w.failing_since, _now) WHEN 'now' THEN _now END,
           next_probe_at = _now + (_batch #>> '{health,next_probe_seconds}')::float8 * interval '1 second',
           probe_count = (_batch #>> '{health,probe_count}')::integer,
           disabled_at = CASE WHEN _batch ->> 'disabled_reason' IS NOT NULL THEN _now END,
           disabled_reason = _batch ->> 'disabled_reason'
     WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id;
  END IF;
  IF jsonb_array_length(_batch -> 'attempts') > 0 THEN
    INSERT INTO webhook_attempts
      (environment_id, attempt_id, endpoint_id, event_id, attempted_at, kind, attempt, outcome, failure, status,
       duration_ms, response)
    SELECT _environment_id, a.attempt_id, _endpoint_id, a.event_id,
           _now - a.ended_ms_ago * interval '1 millisecond', a.kind, a.attempt, a.outcome, a.failure, a.status,
           a.duration_ms, a.response
      FROM jsonb_to_recordset(_batch -> 'attempts')
        AS a (attempt_id uuid, event_id uuid, ended_ms_ago integer, kind text, attempt smallint, outcome text,
              failure text, status smallint, duration_ms integer, response text);
  END IF;
  IF jsonb_array_length(_batch -> 'removed') > 0 THEN
    DELETE FROM webhook_retries r
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id
       AND r.event_id IN (SELECT d.id::uuid FROM jsonb_array_elements_text(_batch -> 'removed') AS d (id));
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
    UPDATE webhook_retries r
       SET attempts = r.attempts + 1, outage_attempts = r.outage_attempts + 1,
           next_attempt_at = _now + d.wait_seconds * interval '1 second'
      FROM jsonb_to_recordset(_batch -> 'rescheduled') AS d (event_id uuid, wait_seconds float8)
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = d.event_id;
  END IF;
  IF jsonb_array_length(_batch -> 'postponed') > 0 THEN
    INSERT INTO webhook_retries
      (environment_id, endpoint_id, event_id, sequence, transaction_id, attempts, outage_attempts,
       next_attempt_at, created_at)
    SELECT _environment_id, _endpoint_id, d.event_id, d.sequence, d.transaction_id, d.attempts, d.attempts,
           _now + d.wait_seconds * interval '1 second', _now
      FROM jsonb_to_recordset(_batch -> 'postponed')
        AS d (event_id uuid, sequence bigint, transaction_id text, attempts smallint, wait_seconds float8)
    ON CONFLICT ON CONSTRAINT webhook_retries_pkey DO NOTHING;
  END IF;
  RETURN _continues;
END $$`;

const signature = 'settle_webhook_batch(integer, uuid, uuid, jsonb)';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(settle);
  await knex.raw(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${signature} TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP FUNCTION ${signature}`);
}
