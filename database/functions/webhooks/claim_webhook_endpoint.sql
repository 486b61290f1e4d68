CREATE OR REPLACE FUNCTION claim_webhook_endpoint(_environment_id integer, _endpoint_id uuid, _lease_id uuid)
RETURNS TABLE (
  environment_id integer, environment_kind text, endpoint_id uuid, url text, types text[], description text,
  created_at timestamptz, updated_at timestamptz, verified_at timestamptz, disabled_at timestamptz,
  disabled_reason text, secret_version integer, key_version smallint, previous_key_version smallint,
  previous_secret_until timestamptz, "position" bigint, delivered_at timestamptz, failing_since timestamptz,
  next_probe_at timestamptz, lease_id uuid, failure_count integer, probe_count integer,
  notice_count smallint, settings text, is_probe_due boolean, failing_for_seconds double precision,
  has_retries boolean
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Gives a free, enabled endpoint to one session for 30 seconds. Returns no row if another one has it,
-- or if the company is frozen.
DECLARE
  _now timestamptz := clock_timestamp();
BEGIN
  PERFORM FROM environments e JOIN companies c ON c.company_id = e.company_id
    WHERE e.environment_id = _environment_id AND c.frozen_at IS NOT NULL;
  IF FOUND THEN
    RETURN;
  END IF;
  -- A second session skips the locked row, and later sees the lease.
  PERFORM FROM webhook_endpoints w
    WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id AND w.disabled_at IS NULL
      AND (w.leased_until IS NULL OR w.leased_until < _now)
      FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE webhook_endpoints w SET lease_id = _lease_id, leased_until = _now + interval '30 seconds'
   WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id;
  PERFORM check_webhook_retries(_environment_id, _endpoint_id);
  RETURN QUERY
    SELECT w.environment_id, w.environment_kind, w.endpoint_id, w.url, w.types, w.description, w.created_at,
           w.updated_at, w.verified_at, w.disabled_at, w.disabled_reason, w.secret_version, w.key_version,
           w.previous_key_version, w.previous_secret_until, w.position, w.delivered_at, w.failing_since,
           w.next_probe_at, w.lease_id, w.failure_count, w.probe_count, w.notice_count, w.updated_at::text,
           COALESCE(w.next_probe_at <= _now, false),
           COALESCE(extract(epoch FROM _now - w.failing_since), 0)::float8,
           EXISTS (
             SELECT FROM webhook_retries r
              WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id
           )
      FROM webhook_endpoints w
     WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id;
END $$;
