CREATE OR REPLACE FUNCTION expire_environment_events(_environment_id integer, _most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Deletes counted events that were in the feed of an environment for 180 days, from its front.
DECLARE
  _first bigint;
  _next bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(1179010376, 1) THEN
    RETURN 0;
  END IF;
  SELECT f.first_sequence, LEAST(f.first_sequence + _most, f.last_sequence + 1, c.sequence + 1)
    FROM feeds f
    JOIN contribution_totals_counted c
      ON c.environment_id = f.environment_id AND c.sequence >= f.first_sequence
   WHERE f.environment_id = _environment_id AND f.oldest_written_at < clock_timestamp() - interval '180 days'
    INTO _first, _next;
  IF _first IS NULL THEN
    RETURN 0;
  END IF;
  SELECT COALESCE(min(k.sequence), _next) FROM feed_events k
   WHERE k.environment_id = _environment_id AND k.sequence >= _first AND k.sequence < _next
     AND k.written_at >= clock_timestamp() - interval '180 days'
    INTO _next;
  DELETE FROM environment_events v
   WHERE v.environment_id = _environment_id AND v.event_id IN (
     SELECT d.event_id FROM feed_events d
      WHERE d.environment_id = _environment_id AND d.sequence >= _first AND d.sequence < _next
        AND d.transaction_id IS NULL);
  DELETE FROM feed_events d
   WHERE d.environment_id = _environment_id AND d.sequence >= _first AND d.sequence < _next;
  UPDATE feeds f
     SET first_sequence = _next,
         oldest_written_at = (SELECT k.written_at FROM feed_events k
                               WHERE k.environment_id = _environment_id AND k.sequence = _next)
   WHERE f.environment_id = _environment_id;
  RETURN (_next - _first)::integer;
END $$;
