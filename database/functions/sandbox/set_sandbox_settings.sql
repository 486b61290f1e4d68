CREATE OR REPLACE FUNCTION set_sandbox_settings(
  _environment_id integer, _bank text, _settle_after_seconds integer, _magic_amounts boolean
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
-- Returns 'set', or why nothing changed: 'not_test', 'no_linked_bank', 'bank_is_linked'.
DECLARE
  _has_bank boolean;
  _last_created timestamptz;
  _last_completed timestamptz;
  _first_unused timestamptz;
  _now timestamptz;
BEGIN
  PERFORM require_argument(
    _bank IN ('simulated', 'linked', 'none'), 'set_sandbox_settings_bank', '_bank is simulated, linked or none');
  -- Waits for a reset. The next statement sees what it committed.
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('environments', 0));
  IF NOT EXISTS (SELECT 1 FROM environments e
                  WHERE e.environment_id = _environment_id AND e.kind = 'test' AND e.retired_at IS NULL) THEN
    RETURN 'not_test';
  END IF;
  SELECT EXISTS (
    SELECT 1 FROM bank_links l
     WHERE l.environment_id = _environment_id AND l.bank_environment_id <> -1 AND l.unlinked_at IS NULL
  ) INTO _has_bank;
  IF _bank = 'linked' AND NOT _has_bank THEN RETURN 'no_linked_bank'; END IF;
  IF _bank = 'none' AND _has_bank THEN RETURN 'bank_is_linked'; END IF;

  -- The row's lock makes concurrent calls wait, so the links below match the last one.
  INSERT INTO sandbox_settings AS s (environment_id, settle_after_seconds, magic_amounts, planned_until)
  VALUES (_environment_id, _settle_after_seconds, _magic_amounts, '-infinity')
  ON CONFLICT ON CONSTRAINT sandbox_settings_pkey DO UPDATE
     SET settle_after_seconds = EXCLUDED.settle_after_seconds, magic_amounts = EXCLUDED.magic_amounts;

  IF _bank = 'simulated' THEN
    -- Ended links that no contribution depends on are removed, except the first one.
    SELECT max(t.created_at) FROM transactions t WHERE t.environment_id = _environment_id INTO _last_created;
    SELECT max(t.completed_at) FROM transactions t WHERE t.environment_id = _environment_id INTO _last_completed;
    SELECT min(l.linked_at) FROM bank_links l
     WHERE l.environment_id = _environment_id AND l.bank_environment_id = -1
       AND l.linked_at > GREATEST(_last_created, _last_completed, '-infinity')
      INTO _first_unused;
    DELETE FROM bank_links l
     WHERE l.environment_id = _environment_id AND l.bank_environment_id = -1
       AND l.linked_at > _first_unused AND l.unlinked_at IS NOT NULL;
    INSERT INTO bank_links (environment_id, bank_environment_id, kind) VALUES (_environment_id, -1, 'test')
    ON CONFLICT (environment_id, bank_environment_id) WHERE unlinked_at IS NULL DO NOTHING;
    IF FOUND THEN
      -- Commits only after the completions that do not see this link, as for every bank.
      PERFORM wait_for_contribution_writers();
    END IF;
  ELSE
    _now := clock_timestamp();
    UPDATE bank_links l SET unlinked_at = GREATEST(_now, l.linked_at)
     WHERE l.environment_id = _environment_id AND l.bank_environment_id = -1 AND l.unlinked_at IS NULL;
  END IF;
  RETURN 'set';
END $$;
