CREATE OR REPLACE FUNCTION disable_webhook_endpoint(
  _environment_id integer, _endpoint_id uuid, _event_id uuid
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Disables an endpoint for an operator and appends the event. Returns false if it was disabled before.
DECLARE
  _now timestamptz := statement_timestamp();
  _failing_since timestamptz;
BEGIN
  UPDATE webhook_endpoints w SET disabled_at = _now, disabled_reason = 'operator', updated_at = _now
   WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id AND w.disabled_at IS NULL
  RETURNING w.failing_since INTO _failing_since;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM append_environment_event(
    _environment_id, _event_id, 'webhook_endpoint.disabled', _now, '{}',
    jsonb_build_object(
      'endpoint_id', _endpoint_id,
      'failing_since', to_char(_failing_since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'disables_at', NULL, 'disabled_reason', 'operator'));
  RETURN true;
END $$;
