CREATE OR REPLACE FUNCTION relay_events(
  _most integer, _environment_id integer DEFAULT NULL,
  OUT has_turn boolean, OUT event_count integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Moves the oldest queued events to the feeds, unless another relay is doing so. The caller commits
-- all of it or nothing, so numbers have no gaps. With _environment_id, it moves those of one environment
-- only: when the run for all fails, an environment whose server is unavailable does not hold back the
-- others.
DECLARE
  _of integer;
  _event_ids uuid[];
BEGIN
  event_count := 0;
  has_turn := pg_try_advisory_xact_lock(1179010376, 1) AND pg_try_advisory_xact_lock_shared(1179010376, 2)
    AND pg_try_advisory_xact_lock_shared(hashtextextended('environments', 0));
  IF NOT has_turn THEN
    RETURN;
  ELSIF _environment_id IS NOT NULL THEN
    SELECT array_agg(oldest.event_id)
      FROM (
        SELECT q.event_id FROM event_queue q
         WHERE q.environment_id = _environment_id ORDER BY q.queued_at, q.event_id LIMIT _most
      ) AS oldest
      INTO _event_ids;
    IF _event_ids IS NOT NULL THEN
      event_count := relay_events_of(_environment_id, _event_ids);
    END IF;
    RETURN;
  END IF;
  FOR _of, _event_ids IN
    SELECT oldest.environment_id, array_agg(oldest.event_id)
      FROM (
        SELECT q.environment_id, q.event_id FROM event_queue q ORDER BY q.queued_at, q.event_id LIMIT _most
      ) AS oldest
     GROUP BY oldest.environment_id
     ORDER BY oldest.environment_id
  LOOP
    event_count := event_count + relay_events_of(_of, _event_ids);
  END LOOP;
END $$;
