CREATE OR REPLACE FUNCTION relay_events_singly(_environment_id integer, _event_ids uuid[]) RETURNS integer
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Moves queued events one after the other, each with the others of its contribution, because one of
-- them fails. Returns how many it moved. An event whose data fails waits 10 seconds, a minute and
-- 10 minutes, and is then set aside until an operator decides. The events of its contribution wait
-- with it, so their order stays.
DECLARE
  _count integer := 0;
  _event_id uuid;
  _waiting uuid[];
  _failed uuid[] := '{}';
  _failures integer;
  _retry_at timestamptz;
  _code text;
  _constraint text;
BEGIN
  FOREACH _event_id IN ARRAY _event_ids LOOP
    CONTINUE WHEN _event_id = ANY (_failed);
    BEGIN
      _count := _count + relay_events_of(_environment_id, ARRAY[_event_id]);
    EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
      -- Not the message, which may contain a value.
      GET STACKED DIAGNOSTICS _code = RETURNED_SQLSTATE, _constraint = CONSTRAINT_NAME;
      SELECT array_agg(c.event_id)
        FROM events o
        JOIN events c ON c.environment_id = _environment_id AND c.transaction_id = o.transaction_id
       WHERE o.environment_id = _environment_id AND o.event_id = _event_id
        INTO _waiting;
      _waiting := COALESCE(_waiting, ARRAY[_event_id]);
      _failed := _failed || _waiting;
      SELECT max(q.failure_count) + 1 FROM event_queue q
       WHERE q.environment_id = _environment_id AND q.event_id = ANY (_waiting)
        INTO _failures;
      _retry_at := clock_timestamp() + (ARRAY['10 seconds', '1 minute', '10 minutes'])[_failures]::interval;
      _retry_at := COALESCE(_retry_at, 'infinity');
      UPDATE event_queue q
         SET failure_count = _failures, retry_at = _retry_at, problem = concat_ws(' ', _code, NULLIF(_constraint, ''))
       WHERE q.environment_id = _environment_id AND q.event_id = ANY (_waiting);
    END;
  END LOOP;
  RETURN _count;
END $$;
