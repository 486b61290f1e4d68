CREATE OR REPLACE FUNCTION require_argument(_is_valid boolean, _constraint text, _message text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- Rejects a call with arguments that the function must not trust. Null counts as false. A function
-- with the owner's privileges checks each argument, because every caller has fewer privileges.
BEGIN
  IF _is_valid IS NOT TRUE THEN
    RAISE EXCEPTION '%', _message USING ERRCODE = 'check_violation', CONSTRAINT = _constraint;
  END IF;
END $$;
