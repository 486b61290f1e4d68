CREATE OR REPLACE FUNCTION add_webhook_endpoint(
  _environment_id integer, _endpoint_id uuid, _slot smallint, _url text, _types text[], _description text,
  _key_version smallint
) RETURNS TABLE (
  environment_id integer, environment_kind text, endpoint_id uuid, url text, types text[], description text,
  created_at timestamptz, updated_at timestamptz, verified_at timestamptz, disabled_at timestamptz,
  disabled_reason text, secret_version integer, key_version smallint, previous_key_version smallint,
  previous_secret_until timestamptz, "position" bigint, delivered_at timestamptz, failing_since timestamptz,
  next_probe_at timestamptz
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Adds an endpoint. After a ping has succeeded, it gets the events after the last one of the feed.
-- Returns no row if a reset retired the environment.
BEGIN
  -- A reset of the environment waits for this lock, and then moves the endpoint. After a reset, the
  -- next statement sees what it committed.
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('webhook_endpoints', _environment_id));
  RETURN QUERY
    INSERT INTO webhook_endpoints AS w
      (environment_id, endpoint_id, environment_kind, slot, url, types, description, created_at, updated_at,
       secret_version, key_version, position, failure_count, probe_count, notice_count)
    SELECT e.environment_id, _endpoint_id, e.kind, _slot, _url, _types, _description, statement_timestamp(),
           statement_timestamp(), 1, _key_version,
           COALESCE((SELECT f.last_sequence FROM feeds f WHERE f.environment_id = _environment_id), 0), 0, 0, 0
      FROM environments e
     WHERE e.environment_id = _environment_id AND e.retired_at IS NULL
    RETURNING w.environment_id, w.environment_kind, w.endpoint_id, w.url, w.types, w.description, w.created_at,
              w.updated_at, w.verified_at, w.disabled_at, w.disabled_reason, w.secret_version, w.key_version,
              w.previous_key_version, w.previous_secret_until, w.position, w.delivered_at, w.failing_since,
              w.next_probe_at;
END $$;
