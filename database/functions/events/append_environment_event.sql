CREATE OR REPLACE FUNCTION append_environment_event(
  _environment_id integer, _event_id uuid, _type text, _recorded_at timestamptz, _audience integer[],
  _data jsonb
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Appends an event and queues it for the feed of its environment, and of the environments in
-- _audience. The event must be true: it is about an endpoint of the environment, about one of its
-- bank links, about a reset of a company whose bank it is, or about a changed day of its accounts.
-- It reports a link or a reset once.
DECLARE
  _problem text := environment_event_problem(_type, _recorded_at, _audience, _data);
BEGIN
  PERFORM require_argument(
    _problem IS NULL, 'environment_events_well_formed', format('the event is not well-formed: %s', _problem));
  PERFORM require_argument(
    _recorded_at BETWEEN clock_timestamp() - interval '10 minutes'
      -- If the clock was set back, a link may end later than now.
      AND GREATEST(clock_timestamp(), (_data ->> 'linked_at')::timestamptz, (_data ->> 'unlinked_at')::timestamptz)
          + interval '10 minutes',
    'environment_events_recorded_now', 'the time of the event is more than ten minutes away');
  IF _type LIKE 'bank\_link.%' THEN
    PERFORM require_argument(
      EXISTS (
        SELECT FROM bank_links l
          JOIN environments company ON company.environment_id = l.environment_id
          JOIN environments bank ON bank.environment_id = l.bank_environment_id
         WHERE l.environment_id = _environment_id
           AND _audience = array_remove(ARRAY[GREATEST(l.bank_environment_id, 0)], 0)
           AND company.company_id = (_data ->> 'company_id')::uuid
           AND bank.company_id = (_data ->> 'bank_company_id')::uuid
           -- The caller has the time of the link without its microseconds.
           AND l.linked_at - (_data ->> 'linked_at')::timestamptz BETWEEN '-1 ms' AND '1 ms'
           AND (l.voided_at IS NOT NULL OR NOT _data ? 'mistake')
           AND (_type = 'bank_link.started' OR l.unlinked_at - (_data ->> 'unlinked_at')::timestamptz BETWEEN '-1 ms' AND '1 ms')),
      'environment_events_link_exists', 'the environment has no such link to a bank');
  ELSIF _type = 'sandbox.reset' THEN
    PERFORM require_argument(
      EXISTS (
        SELECT FROM bank_links l
          JOIN environments company ON company.environment_id = l.environment_id
          JOIN environments bank ON bank.environment_id = l.bank_environment_id
          JOIN environments retired ON retired.company_id = company.company_id
         WHERE l.bank_environment_id = _environment_id AND l.unlinked_at IS NULL
           AND company.company_id = (_data ->> 'company_id')::uuid
           AND bank.company_id = (_data ->> 'bank_company_id')::uuid
           AND retired.retired_at - (_data ->> 'reset_at')::timestamptz BETWEEN '-1 ms' AND '1 ms'),
      'environment_events_reset_exists', 'no company with this bank has been reset at that time');
  ELSIF _type = 'statement_day.changed' THEN
    PERFORM require_argument(
      EXISTS (
        SELECT FROM version_changes c
         WHERE c.environment_id = _environment_id AND c.account_id = (_data ->> 'account_id')::uuid
           AND c.day = (_data ->> 'day')::date AND c.changed_at = _recorded_at
           AND c.lines_gone = (_data ->> 'lines_gone')::integer AND c.lines_added = (_data ->> 'lines_added')::integer),
      'environment_events_change_exists', 'no version of that day was replaced at that time');
  ELSE
    PERFORM require_argument(
      EXISTS (
        SELECT FROM webhook_endpoints w
         WHERE w.environment_id = _environment_id AND w.endpoint_id = (_data ->> 'endpoint_id')::uuid),
      'environment_events_endpoint_exists', 'the environment has no such endpoint');
  END IF;
  IF _type LIKE 'bank\_link.%' OR _type = 'sandbox.reset' THEN
    PERFORM require_argument(
      NOT EXISTS (
        SELECT FROM environment_events v
         WHERE v.environment_id = _environment_id AND v.type = _type AND v.data = _data),
      'environment_events_reported_once', 'the event was already appended');
  END IF;
  INSERT INTO environment_events (environment_id, event_id, type, recorded_at, audience, data)
  VALUES (_environment_id, _event_id, _type, _recorded_at, _audience, _data);
  INSERT INTO event_queue (environment_id, event_id, queued_at)
  VALUES (_environment_id, _event_id, clock_timestamp());
END $$;
