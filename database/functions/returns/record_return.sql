CREATE OR REPLACE FUNCTION record_return(
  _caller_id integer, _api_key text, _transaction_tag text, _transaction_id text, _new_return_id uuid,
  _undoes uuid, _kind text, _code text, _amount_cents bigint, _bank_reference text, _value_date date,
  _event_id uuid,
  OUT caller_is_live boolean, OUT outcome text, OUT return_id uuid, OUT recorded_code text,
  OUT recorded_value_date text, OUT recorded_at timestamptz, OUT contribution_cents bigint,
  OUT contribution_returned_cents bigint
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Checks the caller's key pair and calls record_return_of for the environment with this tag.
DECLARE
  _environment_id integer;
BEGIN
  outcome := 'unknown';
  -- As in complete_contribution: false for a pair that was revoked since, null for a frozen company.
  SELECT (SELECT CASE WHEN k.api_key IS NULL THEN false WHEN c.frozen_at IS NULL THEN true END
            FROM environments e
            JOIN companies c ON c.company_id = e.company_id
            LEFT JOIN key_pairs k ON k.environment_id = e.environment_id AND k.api_key = _api_key
             AND key_pair_is_live(k.revoked_at, k.expires_at)
           WHERE e.environment_id = _caller_id),
         (SELECT e.environment_id FROM environments e WHERE e.transaction_tag = _transaction_tag AND e.retired_at IS NULL)
    INTO caller_is_live, _environment_id;
  IF caller_is_live AND _environment_id IS NOT NULL THEN
    SELECT r.outcome, r.return_id, r.recorded_code, r.recorded_value_date, r.recorded_at, r.contribution_cents,
           r.contribution_returned_cents
      FROM record_return_of(_environment_id, _caller_id, _api_key, _transaction_id, _new_return_id, _undoes, _kind,
                            _code, _amount_cents, _bank_reference, _value_date, _event_id) r
      INTO outcome, return_id, recorded_code, recorded_value_date, recorded_at, contribution_cents,
           contribution_returned_cents;
  END IF;
END $$;
