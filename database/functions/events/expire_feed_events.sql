CREATE OR REPLACE FUNCTION expire_feed_events(_most integer, _environment_id integer DEFAULT NULL)
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Deletes counted events that were in a feed for 180 days, from the front of the ten oldest feeds, or of
-- the feed of _environment_id. Returns how many.
DECLARE
  _before timestamptz := clock_timestamp() - interval '180 days';
  _environment_ids integer[] := ARRAY[_environment_id];
  _of integer;
  _first bigint;
  _next bigint;
  _count integer := 0;
BEGIN
  PERFORM require_argument(_most BETWEEN 1 AND 1000, 'expire_feed_events_most', '_most is from 1 to 1000');
  IF NOT pg_try_advisory_xact_lock(1179010376, 1) THEN
    RETURN 0;
  END IF;
  IF _environment_id IS NULL THEN
    SELECT array_agg(oldest.environment_id ORDER BY oldest.oldest_written_at)
      FROM (
        SELECT f.environment_id, f.oldest_written_at
          FROM feeds f
          JOIN contribution_totals_counted c
            ON c.environment_id = f.environment_id AND c.sequence >= f.first_sequence
         WHERE f.oldest_written_at < _before
         ORDER BY f.oldest_written_at
         LIMIT 10
      ) AS oldest
      INTO _environment_ids;
  END IF;
  FOREACH _of IN ARRAY COALESCE(_environment_ids, '{}') LOOP
    SELECT f.first_sequence, LEAST(f.first_sequence + _most, f.last_sequence + 1, c.sequence + 1)
      FROM feeds f
      JOIN contribution_totals_counted c
        ON c.environment_id = f.environment_id AND c.sequence >= f.first_sequence
     WHERE f.environment_id = _of AND f.oldest_written_at < _before
      INTO _first, _next;
    CONTINUE WHEN _first IS NULL;
    SELECT COALESCE(min(k.sequence), _next) FROM feed_events k
     WHERE k.environment_id = _of AND k.sequence >= _first AND k.sequence < _next AND k.written_at >= _before
      INTO _next;
    DELETE FROM environment_events v
     WHERE v.environment_id = _of AND v.event_id IN (
       SELECT d.event_id FROM feed_events d
        WHERE d.environment_id = _of AND d.sequence >= _first AND d.sequence < _next AND d.transaction_id IS NULL);
    DELETE FROM feed_events d WHERE d.environment_id = _of AND d.sequence >= _first AND d.sequence < _next;
    UPDATE feeds f
       SET first_sequence = _next,
           oldest_written_at = (SELECT k.written_at FROM feed_events k
                                 WHERE k.environment_id = _of AND k.sequence = _next)
     WHERE f.environment_id = _of;
    _count := _count + (_next - _first)::integer;
  END LOOP;
  RETURN _count;
END $$;
