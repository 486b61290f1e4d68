CREATE OR REPLACE FUNCTION count_contributions(
  _most integer, _horizon timestamptz, _environment_id integer DEFAULT NULL,
  OUT event_count integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Adds events of all feeds to the totals, unless another process is doing so. Every contribution
-- that changed before _horizon is visible. If the result is less than _most, no events are waiting.
-- With _environment_id, it adds those of one feed, and leaves complete_until alone, which is a promise
-- about all environments: use it when a server is unavailable.
DECLARE
  -- A link gets its time before it commits. This leaves the events after that time for the next run.
  _until timestamptz := clock_timestamp() - interval '5 seconds';
  _of integer;
  _oldest_queued_at timestamptz;
BEGIN
  PERFORM require_argument(_most BETWEEN 1 AND 10000, 'count_contributions_most', '_most is from 1 to 10,000');
  PERFORM require_argument(
    _environment_id IS NOT NULL OR isfinite(_horizon), 'count_contributions_horizon', '_horizon is a finite time');
  event_count := 0;
  IF NOT (pg_try_advisory_xact_lock(1179010376, 3) AND pg_try_advisory_xact_lock_shared(1179010376, 2)) THEN
    RETURN;
  END IF;
  -- A link that starts or ends now may have a time before _until that the statements below do not see.
  IF EXISTS (
    SELECT FROM pg_locks l
     WHERE l.locktype = 'relation' AND l.relation = 'bank_links'::regclass AND l.mode = 'RowExclusiveLock'
       AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
       AND l.pid IS DISTINCT FROM pg_backend_pid()) THEN
    RETURN;
  END IF;
  IF _environment_id IS NOT NULL THEN
    event_count := count_contributions_of(_environment_id, _until, _most);
    RETURN;
  END IF;
  -- Before the feeds are read: an event that a relay moves meanwhile is seen here or in its feed.
  -- An event that was set aside counts only if it concerns a contribution.
  SELECT min(q.queued_at) FROM event_queue q
   WHERE q.retry_at IS NULL
      OR EXISTS (SELECT FROM events e WHERE e.environment_id = q.environment_id AND e.event_id = q.event_id)
    INTO _oldest_queued_at;
  FOR _of IN
    SELECT f.environment_id
      FROM feeds f
      LEFT JOIN contribution_totals_counted c ON c.environment_id = f.environment_id
     WHERE f.last_sequence > COALESCE(c.sequence, 0)
     ORDER BY f.environment_id
  LOOP
    event_count := event_count + count_contributions_of(_of, _until, _most - event_count);
    IF event_count >= _most THEN
      RETURN;
    END IF;
  END LOOP;
  -- An event is queued in the statement that changes the contribution, which takes a minute at most.
  INSERT INTO contribution_totals_turn AS t (complete_until)
  VALUES (LEAST(_horizon, LEAST(_until, _oldest_queued_at) - interval '1 minute'))
      ON CONFLICT (only_row) DO UPDATE SET complete_until = GREATEST(t.complete_until, excluded.complete_until);
END $$;
