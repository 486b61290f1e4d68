import type { Knex } from 'knex';

/**
 * The settings of a company's sandbox, and the completions that the simulated bank will attempt.
 * They are rows with a due time, so they survive a restart.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE sandbox_settings (
      environment_id integer NOT NULL,
      settle_after_seconds integer NOT NULL,
      magic_amounts boolean NOT NULL,
      planned_until timestamptz NOT NULL,
      CONSTRAINT sandbox_settings_pkey PRIMARY KEY (environment_id),
      CONSTRAINT sandbox_settings_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT sandbox_settings_settle_after_range CHECK (settle_after_seconds BETWEEN 0 AND 3600)
    );
    COMMENT ON COLUMN sandbox_settings.planned_until IS
      'every contribution created before this time has its settlements, if it needs any';

    CREATE TABLE sandbox_settlements (
      environment_id integer NOT NULL,
      transaction_id text COLLATE "C" NOT NULL,
      attempt integer NOT NULL,
      due_at timestamptz NOT NULL,
      amount_cents bigint NOT NULL,
      bank_reference text NOT NULL,
      value_date date,
      id_is_mistyped boolean NOT NULL,
      leased_until timestamptz,
      done_at timestamptz,
      outcome text,
      CONSTRAINT sandbox_settlements_pkey PRIMARY KEY (environment_id, transaction_id, attempt),
      CONSTRAINT sandbox_settlements_transaction_fkey
        FOREIGN KEY (environment_id, transaction_id) REFERENCES transactions (environment_id, transaction_id),
      CONSTRAINT sandbox_settlements_done_has_outcome CHECK ((done_at IS NULL) = (outcome IS NULL))
    );
    COMMENT ON TABLE sandbox_settlements IS 'completions that the simulated bank attempts, or has attempted';
    COMMENT ON COLUMN sandbox_settlements.attempt IS '1 and 2: planned by the settings; higher: requested';
    COMMENT ON COLUMN sandbox_settlements.leased_until IS 'until then, the process that took it has the turn';
    CREATE INDEX sandbox_settlements_open ON sandbox_settlements (environment_id, due_at) WHERE done_at IS NULL`);
  await knex.raw(setSandboxSettings);
  await knex.raw(`
    REVOKE ALL ON FUNCTION set_sandbox_settings(integer, text, integer, boolean) FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION set_sandbox_settings(integer, text, integer, boolean) TO contribution_service;
    GRANT SELECT (environment_id, settle_after_seconds, magic_amounts, planned_until), UPDATE (planned_until)
      ON sandbox_settings TO contribution_service;
    GRANT SELECT (environment_id, transaction_id, attempt, due_at, amount_cents, bank_reference, value_date,
                  id_is_mistyped, leased_until, done_at),
          INSERT (environment_id, transaction_id, attempt, due_at, amount_cents, bank_reference, value_date,
                  id_is_mistyped, leased_until, done_at, outcome),
          UPDATE (leased_until, done_at, outcome)
      ON sandbox_settlements TO contribution_service`);
}

/**
 * The service's role may not write links. It calls this function, which can only start and end the
 * link with the simulated bank, in a test environment.
 */
const setSandboxSettings = `
  CREATE FUNCTION set_sandbox_settings(
    _environment_id integer, _bank text, _settle_after_seconds integer, _magic_amounts boolean
  ) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  -- Returns 'set', or why nothing changed: 'not_test', 'no_linked_bank', 'bank_is_linked'.
  DECLARE
    _has_bank boolean;
    _now timestamptz;
  BEGIN
    IF NOT EXISTS (SELECT 1 FROM environments e WHERE e.environment_id = _environment_id AND e.kind = 'test') THEN
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
  END $$`;

/** Keeps the links: contributions were completed during them. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP FUNCTION set_sandbox_settings(integer, text, integer, boolean);
    DROP TABLE sandbox_settlements, sandbox_settings`);
}
