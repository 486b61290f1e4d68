CREATE OR REPLACE FUNCTION drop_queued_event(_environment_id integer, _event_id uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Deletes an event that the relay could not write to the feeds, for an operator. Returns false, and
-- deletes nothing, if the event has not failed, or concerns a contribution: such an event is never
-- deleted. A relay that moves the event meanwhile locks its row, so either it or this function has it.
BEGIN
  DELETE FROM event_queue q
   WHERE q.environment_id = _environment_id AND q.event_id = _event_id AND q.retry_at IS NOT NULL
     AND NOT EXISTS (SELECT FROM events e WHERE e.environment_id = _environment_id AND e.event_id = _event_id);
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM environment_events v WHERE v.environment_id = _environment_id AND v.event_id = _event_id;
  RETURN true;
END $$;
