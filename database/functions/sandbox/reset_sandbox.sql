CREATE OR REPLACE FUNCTION reset_sandbox(
  _environment_id integer, _most_per_day integer,
  OUT outcome text, OUT new_environment_id integer, OUT reset_at timestamptz, OUT resets_left integer,
  OUT retry_after_seconds integer, OUT api_keys text[]
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
-- Retires a test environment, and moves the key pairs, the settings and the links to a new one with
-- the same tag. Its contributions stay unchanged. The outcomes:
-- reset
-- moved      nothing changed: another reset retired the environment
-- too_many   nothing changed: the company has used its resets of the last 24 hours
-- not_test
DECLARE
  _old record;
  _settings record;
  _used integer;
  _oldest timestamptz;
  _linked integer[];
  _banks integer[];
BEGIN
  PERFORM require_argument(
    _most_per_day BETWEEN 0 AND 1000, 'reset_sandbox_most_per_day', '_most_per_day is from 0 to 1000');
  -- Operators who issue a pair or link a bank read the environment under this lock.
  PERFORM pg_advisory_xact_lock(hashtextextended('environments', 0));
  -- Waits for rotations. One reset runs at a time. Reads of key pairs do not wait.
  LOCK TABLE key_pairs IN SHARE ROW EXCLUSIVE MODE;

  SELECT e.company_id, e.kind, e.transaction_tag, e.requests_per_second, e.completions_per_second, e.retired_at
    FROM environments e
   WHERE e.environment_id = _environment_id
    INTO _old;
  IF _old.kind IS DISTINCT FROM 'test' OR _environment_id = -1 THEN
    outcome := 'not_test';
    RETURN;
  ELSIF _old.retired_at IS NOT NULL THEN
    outcome := 'moved';
    RETURN;
  END IF;

  reset_at := clock_timestamp();
  SELECT count(*), min(e.retired_at)
    FROM environments e
   WHERE e.company_id = _old.company_id AND e.retired_at > reset_at - interval '24 hours'
    INTO _used, _oldest;
  resets_left := _most_per_day - _used - 1;
  IF resets_left < 0 THEN
    outcome := 'too_many';
    retry_after_seconds := GREATEST(1, ceil(extract(epoch FROM _oldest + interval '24 hours' - reset_at)));
    RETURN;
  END IF;

  UPDATE environments e SET retired_at = reset_at WHERE e.environment_id = _environment_id;
  INSERT INTO environments
    (company_id, kind, transaction_tag, created_at, requests_per_second, completions_per_second)
  VALUES
    (_old.company_id, 'test', _old.transaction_tag, reset_at, _old.requests_per_second, _old.completions_per_second)
  RETURNING environment_id INTO new_environment_id;

  -- Revoked pairs stay with the environment that they belonged to.
  UPDATE key_pairs k SET environment_id = new_environment_id
   WHERE k.environment_id = _environment_id AND k.revoked_at IS NULL;
  SELECT array_agg(k.api_key) FROM key_pairs k WHERE k.environment_id = new_environment_id INTO api_keys;
  PERFORM pg_notify('key_pair_changed', moved.api_key) FROM unnest(api_keys) AS moved (api_key);


  PERFORM pg_advisory_xact_lock(hashtextextended('webhook_endpoints', _environment_id));
  PERFORM FROM webhook_endpoints w
    WHERE w.environment_id = _environment_id
    ORDER BY w.endpoint_id
      FOR UPDATE;

  INSERT INTO webhook_endpoints
    (environment_id, endpoint_id, environment_kind, slot, url, types, description, created_at, updated_at, verified_at,
     disabled_at, disabled_reason, secret_version, key_version, previous_key_version, previous_secret_until, secret_rotated_at, position, failure_count, probe_count, notice_count)
  SELECT new_environment_id, endpoint_id, environment_kind, slot, url, types, description, created_at, updated_at, verified_at,
     disabled_at, disabled_reason, secret_version, key_version, previous_key_version, previous_secret_until, secret_rotated_at, 0, 0, 0, 0
    FROM webhook_endpoints w
   WHERE w.environment_id = _environment_id;
  DELETE FROM webhook_endpoints w WHERE w.environment_id = _environment_id;

  -- Without settings, nothing is planned any more, and what was planned is over.
  SELECT s.settle_after_seconds, s.magic_amounts
    FROM sandbox_settings s
   WHERE s.environment_id = _environment_id
    INTO _settings;
  IF FOUND THEN
    DELETE FROM sandbox_settings s WHERE s.environment_id = _environment_id;
    INSERT INTO sandbox_settings (environment_id, settle_after_seconds, magic_amounts, planned_until)
    VALUES (new_environment_id, _settings.settle_after_seconds, _settings.magic_amounts, '-infinity');
  END IF;
  UPDATE sandbox_settlements s SET done_at = reset_at, outcome = 'reset'
   WHERE s.environment_id = _environment_id AND s.done_at IS NULL;

  SELECT array_agg(l.environment_id), array_agg(l.bank_environment_id)
    FROM bank_links l
   WHERE l.unlinked_at IS NULL AND (l.environment_id = _environment_id OR l.bank_environment_id = _environment_id)
    INTO _linked, _banks;
  UPDATE bank_links l SET unlinked_at = GREATEST(reset_at, l.linked_at)
   WHERE l.unlinked_at IS NULL AND (l.environment_id = _environment_id OR l.bank_environment_id = _environment_id);
  INSERT INTO bank_links (environment_id, bank_environment_id, kind)
  SELECT COALESCE(NULLIF(ended.linked, _environment_id), new_environment_id),
         COALESCE(NULLIF(ended.bank, _environment_id), new_environment_id), 'test'
    FROM unnest(_linked, _banks) AS ended (linked, bank);
  IF _environment_id = ANY (_banks) THEN
    -- A bank was reset. Its new links commit after the completions that do not see them.
    PERFORM wait_for_contribution_writers();
  END IF;
  outcome := 'reset';
END $$;
