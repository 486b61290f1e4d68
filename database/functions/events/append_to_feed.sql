CREATE OR REPLACE FUNCTION append_to_feed(_environment_id integer, _rows jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Numbers the events of an array, in its order, and writes them to the feed of an environment.
DECLARE
  _now timestamptz := statement_timestamp();
  _before bigint;
BEGIN
  INSERT INTO feeds (environment_id) VALUES (_environment_id)
  ON CONFLICT ON CONSTRAINT feeds_pkey DO NOTHING;
  UPDATE feeds f
     SET last_sequence = f.last_sequence + jsonb_array_length(_rows),
         oldest_written_at = COALESCE(f.oldest_written_at, _now)
   WHERE f.environment_id = _environment_id
  RETURNING f.last_sequence - jsonb_array_length(_rows) INTO _before;
  INSERT INTO feed_events
    (environment_id, sequence, event_id, owner_environment_id, transaction_id, type, recorded_at, written_at,
     audience, data)
  SELECT _environment_id, _before + r.position, (r.event ->> 'event_id')::uuid,
         (r.event ->> 'owner_environment_id')::integer, r.event ->> 'transaction_id', r.event ->> 'type',
         (r.event ->> 'recorded_at')::timestamptz, _now,
         CASE WHEN (r.event ->> 'owner_environment_id')::integer = _environment_id
              THEN ARRAY(SELECT jsonb_array_elements_text(r.event -> 'audience')::integer) ELSE '{}' END,
         (r.event -> 'data')
           || CASE WHEN r.event ->> 'transaction_id' IS NULL THEN '{}'
                   WHEN (r.event ->> 'owner_environment_id')::integer = _environment_id
                   THEN (r.event -> 'evidence') || jsonb_build_object('idempotency_key', r.event -> 'idempotency_key')
                   -- Another bank's references are not for this bank, except those of the completion. A
                   -- correction has those of the completion that it takes back.
                   WHEN r.event ->> 'type' = 'contribution.completed'
                     OR (r.event ->> 'type' = 'contribution.corrected'
                         AND (r.event ->> 'completer_id')::integer = _environment_id)
                     OR (r.event ->> 'actor_environment_id')::integer = _environment_id THEN r.event -> 'evidence'
                   ELSE (r.event -> 'evidence') - ARRAY['bank_reference', 'value_date'] END
    FROM jsonb_array_elements(_rows) WITH ORDINALITY AS r (event, position);
END $$;
