CREATE OR REPLACE FUNCTION expire_feed_events(_most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Deletes events that were in a feed for 180 days, from the front of each feed.
DECLARE
  _environment_id integer;
  _first bigint;
  _next bigint;
  _count integer := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(1179010376, 1) THEN
    RETURN 0;
  END IF;
  FOR _environment_id, _first, _next IN
    SELECT f.environment_id, f.first_sequence, LEAST(f.first_sequence + _most, f.last_sequence + 1, c.sequence + 1)
      FROM feeds f
      JOIN contribution_totals_counted c
        ON c.environment_id = f.environment_id AND c.sequence >= f.first_sequence
     WHERE f.oldest_written_at < clock_timestamp() - interval '180 days'
     ORDER BY f.oldest_written_at
     LIMIT 10
  LOOP
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
    _count := _count + (_next - _first)::integer;
  END LOOP;
  RETURN _count;
END $$;
