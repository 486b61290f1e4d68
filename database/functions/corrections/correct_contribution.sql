CREATE OR REPLACE FUNCTION correct_contribution(
  _caller_id integer, _api_key text, _transaction_tag text, _transaction_id text, _reason text,
  _completed_at timestamptz, _event_id uuid,
  OUT caller_is_live boolean, OUT outcome text, OUT recorded_at timestamptz, OUT contribution_cents bigint
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Checks the caller's key pair and calls correct_contribution_of for the environment with this tag.
DECLARE
  _environment_id integer;
BEGIN
  outcome := 'unknown';
  -- As in complete_contribution: stops a pair that was revoked, or whose company was frozen, after
  -- authentication.
  SELECT (SELECT CASE WHEN k.api_key IS NULL THEN false WHEN c.frozen_at IS NULL THEN true END
            FROM environments e
            JOIN companies c ON c.company_id = e.company_id
            LEFT JOIN key_pairs k ON k.environment_id = e.environment_id AND k.api_key = _api_key
             AND key_pair_is_live(k.revoked_at, k.expires_at)
           WHERE e.environment_id = _caller_id),
         (SELECT e.environment_id FROM environments e WHERE e.transaction_tag = _transaction_tag AND e.retired_at IS NULL)
    INTO caller_is_live, _environment_id;
  IF caller_is_live AND _environment_id IS NOT NULL THEN
    SELECT c.outcome, c.recorded_at, c.contribution_cents
      FROM correct_contribution_of(_environment_id, _caller_id, _api_key, NULL, _transaction_id, _reason, _completed_at,
                                   _event_id) c
      INTO outcome, recorded_at, contribution_cents;
  END IF;
END $$;
