CREATE OR REPLACE FUNCTION append_environment_event(
  _environment_id integer, _event_id uuid, _type text, _recorded_at timestamptz, _audience integer[],
  _data jsonb
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Appends an event and queues it for the feed of its environment, and of the environments in
-- _audience.
BEGIN
  INSERT INTO environment_events (environment_id, event_id, type, recorded_at, audience, data)
  VALUES (_environment_id, _event_id, _type, _recorded_at, _audience, _data);
  INSERT INTO event_queue (environment_id, event_id, queued_at)
  VALUES (_environment_id, _event_id, clock_timestamp());
END $$;
