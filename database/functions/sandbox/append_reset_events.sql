CREATE OR REPLACE FUNCTION append_reset_events(_environment_id integer, _reset_at timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
-- Tells the banks of a company that it has reset its test environment. _environment_id is the new
-- one. Returns how many banks there are. Earlier releases reset without this call, because they
-- cannot show the event.
DECLARE
  _bank record;
  _count integer := 0;
BEGIN
  -- The simulated bank, whose number is negative, has no feed.
  FOR _bank IN
    SELECT b.environment_id, b.company_id AS bank_company_id, e.company_id,
           (SELECT count(*) FROM environments r
             WHERE r.company_id = e.company_id AND r.retired_at IS NOT NULL) AS generation
      FROM bank_links l
      JOIN environments e ON e.environment_id = l.environment_id
      JOIN environments b ON b.environment_id = l.bank_environment_id
     WHERE l.environment_id = _environment_id AND l.unlinked_at IS NULL AND l.bank_environment_id > 0
     ORDER BY b.environment_id
  LOOP
    PERFORM append_environment_event(
      _bank.environment_id, gen_random_uuid(), 'sandbox.reset', _reset_at, '{}',
      jsonb_build_object(
        'company_id', _bank.company_id, 'bank_company_id', _bank.bank_company_id,
        'reset_at', to_char(_reset_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'generation', _bank.generation));
    _count := _count + 1;
  END LOOP;
  RETURN _count;
END $$;
