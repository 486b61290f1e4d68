CREATE OR REPLACE FUNCTION relay_events(
  _most integer, _environment_id integer DEFAULT NULL,
  OUT has_turn boolean, OUT event_count integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Moves the oldest queued events to the feeds, unless another relay is doing so. The caller commits
-- all of it or nothing, so numbers have no gaps. With _environment_id, it moves those of one environment
-- only: when the run for all fails, an environment whose server is unavailable does not hold back the
-- others. In an environment, an event that fails does not hold back the others: see
-- relay_events_singly.
DECLARE
  _of integer;
  _event_ids uuid[];
BEGIN
  PERFORM require_argument(_most BETWEEN 1 AND 1000, 'relay_events_most', '_most is from 1 to 1000');
  event_count := 0;
  has_turn := pg_try_advisory_xact_lock(1179010376, 1) AND pg_try_advisory_xact_lock_shared(1179010376, 2)
    AND pg_try_advisory_xact_lock_shared(hashtextextended('environments', 0));
  IF NOT has_turn THEN
    RETURN;
  ELSIF _environment_id IS NOT NULL THEN
    SELECT array_agg(oldest.event_id ORDER BY oldest.queued_at, oldest.event_id)
      FROM (
        SELECT q.event_id, q.queued_at FROM event_queue q
         WHERE q.environment_id = _environment_id AND (q.retry_at IS NULL OR q.retry_at <= statement_timestamp())
         ORDER BY q.queued_at, q.event_id LIMIT _most
      ) AS oldest
      INTO _event_ids;
    IF _event_ids IS NOT NULL THEN
      BEGIN
        event_count := relay_events_of(_environment_id, _event_ids);
      EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
        event_count := relay_events_singly(_environment_id, _event_ids);
      END;
    END IF;
    RETURN;
  END IF;
  FOR _of, _event_ids IN
    SELECT oldest.environment_id, array_agg(oldest.event_id)
      FROM (
        SELECT q.environment_id, q.event_id FROM event_queue q
         WHERE q.retry_at IS NULL OR q.retry_at <= statement_timestamp()
         ORDER BY q.queued_at, q.event_id LIMIT _most
      ) AS oldest
     GROUP BY oldest.environment_id
     ORDER BY oldest.environment_id
  LOOP
    event_count := event_count + relay_events_of(_of, _event_ids);
  END LOOP;
END $$;
