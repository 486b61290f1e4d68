import type { Knex } from 'knex';

/**
 * Money that went back after a contribution was completed, and returns that were undone. The rows
 * belong to the contribution's environment and never change.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE money_returns (
      environment_id integer NOT NULL,
      return_id uuid NOT NULL,
      transaction_id text COLLATE "C" NOT NULL,
      undoes uuid,
      kind text COLLATE "C" NOT NULL,
      code text,
      amount_cents bigint NOT NULL,
      bank_reference text COLLATE "C" NOT NULL,
      value_date date,
      recorded_by_environment_id integer NOT NULL,
      recorded_by_api_key text COLLATE "C" NOT NULL,
      recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT money_returns_pkey PRIMARY KEY (environment_id, return_id),
      -- A repeat finds the first one. The lock of the transaction orders concurrent calls.
      CONSTRAINT money_returns_reference_key UNIQUE (environment_id, transaction_id, bank_reference, kind),
      CONSTRAINT money_returns_transaction_fkey
        FOREIGN KEY (environment_id, transaction_id) REFERENCES transactions (environment_id, transaction_id),
      CONSTRAINT money_returns_undoes_fkey
        FOREIGN KEY (environment_id, undoes) REFERENCES money_returns (environment_id, return_id),
      CONSTRAINT money_returns_recorded_by_fkey
        FOREIGN KEY (recorded_by_environment_id) REFERENCES environments (environment_id),
      CONSTRAINT money_returns_kind_known CHECK (
        CASE WHEN undoes IS NULL THEN kind IN ('return', 'reversal', 'chargeback', 'refund', 'recall')
             ELSE kind IN ('dishonored', 'chargeback_won', 'paid_again') END
      ),
      CONSTRAINT money_returns_amount_bounds CHECK (amount_cents BETWEEN 1 AND 100000000000),
      CONSTRAINT money_returns_code_length CHECK (char_length(code) BETWEEN 1 AND 35),
      CONSTRAINT money_returns_bank_reference_length CHECK (char_length(bank_reference) BETWEEN 1 AND 140)
    );
    COMMENT ON TABLE money_returns IS 'money that went back after a completion, and returns that were undone';
    COMMENT ON COLUMN money_returns.undoes IS 'the return that this row undoes, in part or in full; null for a return';

    CREATE FUNCTION guard_money_returns() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a return is never changed or removed'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'money_returns_append_only', TABLE = TG_TABLE_NAME;
    END $$;
    CREATE TRIGGER money_returns_guard BEFORE UPDATE OR DELETE ON money_returns
      FOR EACH ROW EXECUTE FUNCTION guard_money_returns();
    CREATE TRIGGER money_returns_guard_truncate BEFORE TRUNCATE ON money_returns
      FOR EACH STATEMENT EXECUTE FUNCTION guard_money_returns();

    GRANT SELECT (environment_id, return_id, transaction_id, undoes, kind, code, amount_cents, bank_reference, value_date,
                  recorded_at),
          INSERT (environment_id, return_id, transaction_id, undoes, kind, code, amount_cents, bank_reference, value_date,
                  recorded_by_environment_id, recorded_by_api_key, recorded_at)
      ON money_returns TO contribution_service;
    GRANT SELECT ON money_returns TO contribution_operator;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE money_returns; DROP FUNCTION guard_money_returns()');
}
