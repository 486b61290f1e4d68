import type { Knex } from 'knex';

/**
 * Which contribution each entry of a statement pays. Transactions belong to other environments, so
 * no foreign key leads to them; `verify` checks them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE statement_entries (
      environment_id integer NOT NULL,
      entry_id uuid NOT NULL,
      class_key bytea NOT NULL,
      occurrence integer NOT NULL,
      account_id uuid NOT NULL,
      standing text COLLATE "C" NOT NULL,
      direction text COLLATE "C" NOT NULL,
      amount_cents bigint,
      charges_cents bigint NOT NULL,
      currency text NOT NULL,
      booking_date date,
      bank_reference text,
      return_code text,
      outcome text COLLATE "C" NOT NULL,
      reason text COLLATE "C",
      is_decided boolean NOT NULL DEFAULT false,
      first_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT statement_entries_pkey PRIMARY KEY (environment_id, entry_id),
      CONSTRAINT statement_entries_class_key UNIQUE (environment_id, class_key, occurrence),
      CONSTRAINT statement_entries_account_fkey
        FOREIGN KEY (environment_id, account_id) REFERENCES statement_accounts (environment_id, account_id),
      CONSTRAINT statement_entries_standing_known
        CHECK (standing IN ('confirmed', 'proposed', 'suspected', 'absent'))
    );
    COMMENT ON COLUMN statement_entries.standing IS 'confirmed: its allocations count; proposed: no trusted statement has it; suspected: perhaps a repeat of another entry; absent: no statement has it any more';

    CREATE TABLE allocations (
      environment_id integer NOT NULL,
      entry_id uuid NOT NULL,
      transaction_id text COLLATE "C" NOT NULL,
      transaction_environment_id integer NOT NULL,
      kind text COLLATE "C" NOT NULL,
      amount_cents bigint NOT NULL,
      expected_cents bigint NOT NULL,
      confidence text COLLATE "C" NOT NULL,
      state text COLLATE "C" NOT NULL,
      CONSTRAINT allocations_pkey PRIMARY KEY (environment_id, entry_id, transaction_id),
      CONSTRAINT allocations_entry_fkey
        FOREIGN KEY (environment_id, entry_id) REFERENCES statement_entries (environment_id, entry_id),
      CONSTRAINT allocations_kind_known CHECK (kind IN ('payment', 'return')),
      CONSTRAINT allocations_amount_positive CHECK (amount_cents > 0),
      CONSTRAINT allocations_confidence_known
        CHECK (confidence IN ('exact', 'normalized', 'repaired', 'settlement', 'decision')),
      CONSTRAINT allocations_state_known CHECK (state IN ('proposed', 'confirmed', 'withdrawn')),
      CONSTRAINT allocations_repaired_never_confirmed CHECK (confidence <> 'repaired' OR state <> 'confirmed')
    );
    CREATE INDEX allocations_by_transaction ON allocations (environment_id, transaction_id);

    CREATE TABLE statement_money (
      environment_id integer NOT NULL,
      transaction_id text COLLATE "C" NOT NULL,
      transaction_environment_id integer NOT NULL,
      expected_cents bigint NOT NULL,
      gross_cents bigint NOT NULL,
      returned_cents bigint NOT NULL,
      other_gross_cents bigint NOT NULL,
      other_returned_cents bigint NOT NULL,
      is_decided boolean NOT NULL,
      CONSTRAINT statement_money_pkey PRIMARY KEY (environment_id, transaction_id),
      CONSTRAINT statement_money_not_negative CHECK (
        gross_cents >= other_gross_cents AND other_gross_cents >= 0
        AND returned_cents >= other_returned_cents AND other_returned_cents >= 0)
    );
    COMMENT ON TABLE statement_money IS 'sums of the confirmed allocations of one viewer; never added to those of another';
    COMMENT ON COLUMN statement_money.other_gross_cents IS 'the part in payments of another amount than expected';

    CREATE TABLE reconciliation_decisions (
      environment_id integer NOT NULL,
      decision_id uuid NOT NULL,
      entry_id uuid NOT NULL,
      action text COLLATE "C" NOT NULL,
      allocations jsonb NOT NULL,
      reason text NOT NULL,
      decided_by_api_key text COLLATE "C" NOT NULL,
      decided_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT reconciliation_decisions_pkey PRIMARY KEY (environment_id, decision_id),
      CONSTRAINT reconciliation_decisions_entry_fkey
        FOREIGN KEY (environment_id, entry_id) REFERENCES statement_entries (environment_id, entry_id),
      CONSTRAINT reconciliation_decisions_action_known
        CHECK (action IN ('link', 'split', 'unlink', 'ignore', 'accept_difference', 'complete')),
      CONSTRAINT reconciliation_decisions_reason_length CHECK (char_length(reason) BETWEEN 1 AND 500)
    );
    CREATE INDEX reconciliation_decisions_by_entry ON reconciliation_decisions (environment_id, entry_id, decision_id);

    CREATE TABLE settlement_lines (
      environment_id integer NOT NULL,
      reference text COLLATE "C" NOT NULL,
      transaction_id text COLLATE "C" NOT NULL,
      amount_cents bigint NOT NULL,
      listed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT settlement_lines_pkey PRIMARY KEY (environment_id, reference, transaction_id),
      CONSTRAINT settlement_lines_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT settlement_lines_amount_positive CHECK (amount_cents > 0),
      CONSTRAINT settlement_lines_reference_length CHECK (char_length(reference) BETWEEN 1 AND 140)
    );
    COMMENT ON TABLE settlement_lines IS 'the contributions that a transfer pays, as a list from the bank states them';

    GRANT SELECT (environment_id, entry_id, class_key, standing, direction, amount_cents, charges_cents,
                  currency, booking_date, bank_reference, return_code, outcome, reason, is_decided),
          INSERT (environment_id, entry_id, class_key, occurrence, account_id, standing, direction, amount_cents,
                  charges_cents, currency, booking_date, bank_reference, return_code, outcome, reason, is_decided),
          UPDATE (standing, charges_cents, bank_reference, return_code, outcome, reason, is_decided)
      ON statement_entries TO contribution_service;
    GRANT SELECT (environment_id, entry_id, transaction_id, transaction_environment_id, kind, amount_cents,
                  expected_cents, confidence, state),
          INSERT (environment_id, entry_id, transaction_id, transaction_environment_id, kind, amount_cents,
                  expected_cents, confidence, state),
          UPDATE (kind, amount_cents, confidence, state)
      ON allocations TO contribution_service;
    GRANT SELECT (environment_id, transaction_id, transaction_environment_id, gross_cents, returned_cents,
                  other_gross_cents, other_returned_cents, is_decided),
          INSERT (environment_id, transaction_id, transaction_environment_id, expected_cents, gross_cents,
                  returned_cents, other_gross_cents, other_returned_cents, is_decided),
          UPDATE (gross_cents, returned_cents, other_gross_cents, other_returned_cents, is_decided)
      ON statement_money TO contribution_service;
    GRANT SELECT (environment_id, decision_id, entry_id, action, allocations, decided_at)
      ON reconciliation_decisions TO contribution_service;
    GRANT SELECT (environment_id, reference, transaction_id) ON settlement_lines TO contribution_service;
    GRANT SELECT ON statement_files, entry_sources, statement_money, allocations, statement_entries TO contribution_operator`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE settlement_lines;
    DROP TABLE reconciliation_decisions;
    DROP TABLE statement_money;
    DROP TABLE allocations;
    DROP TABLE statement_entries`);
}
