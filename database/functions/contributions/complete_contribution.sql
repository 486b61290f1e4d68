CREATE OR REPLACE FUNCTION complete_contribution(
  _caller_id integer, _api_key text, _transaction_tag text, _transaction_id text, _amount_cents bigint,
  _bank_reference text, _value_date date, _event_id uuid,
  OUT caller_is_live boolean, OUT is_completed_now boolean, OUT was_completed_before boolean,
  OUT status_before text, OUT is_permitted boolean, OUT is_anothers boolean, OUT amount_differs boolean
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Checks the caller's key pair and calls complete_contribution_of for the environment with this tag.
DECLARE
  _environment_id integer;
BEGIN
  is_completed_now := false;
  was_completed_before := false;
  -- Authentication may have used a cached pair. This check stops a pair that was revoked since, and
  -- caller_is_live is null if its company was frozen since. A revocation or a freeze that commits
  -- later comes after this completion.
  SELECT (SELECT CASE WHEN k.api_key IS NULL THEN false WHEN c.frozen_at IS NULL THEN true END
            FROM environments e
            JOIN companies c ON c.company_id = e.company_id
            LEFT JOIN key_pairs k ON k.environment_id = e.environment_id AND k.api_key = _api_key
             AND key_pair_is_live(k.revoked_at, k.expires_at)
           WHERE e.environment_id = _caller_id),
         -- One snapshot for both: after a reset, neither the pair nor the tag leads to the retired environment.
         (SELECT e.environment_id FROM environments e WHERE e.transaction_tag = _transaction_tag AND e.retired_at IS NULL)
    INTO caller_is_live, _environment_id;
  IF caller_is_live AND _environment_id IS NOT NULL THEN
    SELECT c.is_completed_now, c.was_completed_before, c.status_before, c.is_permitted, c.is_anothers, c.amount_differs
      FROM complete_contribution_of(_environment_id, _caller_id, _api_key, _transaction_id, _amount_cents,
                                    _bank_reference, _value_date, _event_id) c
      INTO is_completed_now, was_completed_before, status_before, is_permitted, is_anothers, amount_differs;
  END IF;
END $$;
