CREATE OR REPLACE FUNCTION delete_company(_company_id uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
-- Deletes a company with its environments, its ended key pairs and the state of its sandbox. Anything
-- else that refers to it, such as a link or a contribution, makes a foreign key reject this.
DECLARE
  _environment_id integer;
  _has_live_pair boolean;
BEGIN
  PERFORM require_argument(
    _company_id <> '019ab000-0000-7000-8000-00000000ba4c', 'delete_company_simulated_bank',
    'the sandbox needs the simulated bank');
  -- No pair is issued meanwhile. On a cluster, key pairs have no foreign key.
  PERFORM pg_advisory_xact_lock(hashtextextended('environments', 0));
  SELECT EXISTS (SELECT FROM key_pairs k JOIN environments e ON e.environment_id = k.environment_id
                  WHERE e.company_id = _company_id AND key_pair_is_live(k.revoked_at, k.expires_at))
    INTO _has_live_pair;
  -- One environment at a time: Citus rejects a change of all tenants before one of a reference table.
  FOR _environment_id IN SELECT e.environment_id FROM environments e WHERE e.company_id = _company_id LOOP
    DELETE FROM key_pairs k WHERE k.environment_id = _environment_id;
    DELETE FROM sandbox_faults f WHERE f.environment_id = _environment_id;
    DELETE FROM sandbox_requests r WHERE r.environment_id = _environment_id;
    DELETE FROM sandbox_settings s WHERE s.environment_id = _environment_id;
    DELETE FROM environments e WHERE e.environment_id = _environment_id;
  END LOOP;
  -- Last, so that nobody revokes the pairs of a company that cannot be deleted anyway.
  PERFORM require_argument(
    NOT _has_live_pair, 'delete_company_live_key_pairs', 'the company has no live key pair');
  DELETE FROM companies c WHERE c.company_id = _company_id;
  RETURN FOUND;
END $$;
