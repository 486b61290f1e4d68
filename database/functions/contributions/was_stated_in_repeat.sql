CREATE OR REPLACE FUNCTION was_stated_in_repeat(_environment_id integer, _transaction_id text, _bank_reference text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
-- Whether a completion was repeated with this bank reference while it counted. The service may not
-- read events itself.
BEGIN
  RETURN EXISTS (
    SELECT FROM events e
     WHERE e.environment_id = _environment_id AND e.transaction_id = _transaction_id
       AND e.type = 'contribution.completion_repeated' AND e.evidence ->> 'net_amount_is_zero' IS NULL
       AND e.evidence ->> 'bank_reference' = _bank_reference);
END $$;
