CREATE OR REPLACE FUNCTION relay_events_of(_environment_id integer, _event_ids uuid[]) RETURNS integer
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Moves events of an environment from the queue to its feed, and to the feeds of the banks that see
-- the contribution.
DECLARE
  _rows jsonb;
  _bank_id integer;
  _seen jsonb;
BEGIN
  SELECT take_queued_events(_environment_id, _event_ids) INTO _rows;
  IF _rows IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM append_to_feed(_environment_id, _rows);
  FOR _bank_id IN
    SELECT DISTINCT bank.id::integer
      FROM jsonb_array_elements(_rows) AS r (event)
     CROSS JOIN jsonb_array_elements_text(r.event -> 'audience') AS bank (id)
     ORDER BY 1
  LOOP
    SELECT jsonb_agg(r.event ORDER BY r.position)
      FROM jsonb_array_elements(_rows) WITH ORDINALITY AS r (event, position)
     WHERE r.event -> 'audience' @> to_jsonb(_bank_id)
      INTO _seen;
    PERFORM append_to_feed(_bank_id, _seen);
  END LOOP;
  RETURN jsonb_array_length(_rows);
END $$;
