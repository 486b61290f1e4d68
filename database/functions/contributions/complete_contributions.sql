CREATE OR REPLACE FUNCTION complete_contributions(
  _caller_id integer, _api_key text, _transaction_tag text, _transaction_ids text[], _amounts_cents bigint[],
  _bank_references text[], _value_dates date[], _event_ids uuid[], _is_dry_run boolean,
  OUT caller_is_live boolean, OUT outcomes text[]
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Checks the caller's key pair and calls complete_contributions_of for the environment with this tag.
DECLARE
  _environment_id integer;
BEGIN
  outcomes := array_fill('unknown'::text, ARRAY[cardinality(_transaction_ids)]);
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
    SELECT c.outcomes
      FROM complete_contributions_of(_environment_id, _caller_id, _api_key, _transaction_ids, _amounts_cents,
                                     _bank_references, _value_dates, _event_ids, _is_dry_run) c
      INTO outcomes;
  END IF;
END $$;
