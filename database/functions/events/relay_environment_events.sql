CREATE OR REPLACE FUNCTION relay_environment_events(
  _environment_id integer, _most integer,
  OUT has_turn boolean, OUT event_count integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Moves the oldest queued events of one environment to the feeds. Use it when relay_events fails, so
-- that an environment whose server is unavailable does not hold back the others.
DECLARE
  _event_ids uuid[];
BEGIN
  event_count := 0;
  has_turn := pg_try_advisory_xact_lock(1179010376, 1) AND pg_try_advisory_xact_lock_shared(1179010376, 2)
    AND pg_try_advisory_xact_lock_shared(hashtextextended('environments', 0));
  IF NOT has_turn THEN
    RETURN;
  END IF;
  SELECT array_agg(oldest.event_id)
    FROM (
      SELECT q.event_id FROM event_queue q
       WHERE q.environment_id = _environment_id ORDER BY q.queued_at, q.event_id LIMIT _most
    ) AS oldest
    INTO _event_ids;
  IF _event_ids IS NOT NULL THEN
    event_count := relay_events_of(_environment_id, _event_ids);
  END IF;
END $$;
