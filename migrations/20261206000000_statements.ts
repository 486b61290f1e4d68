import type { Knex } from 'knex';

/**
 * Bank statements that an environment uploaded. Everything here belongs to the environment that
 * uploaded the file. Files, account numbers, names and free texts are not stored.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE statement_accounts (
      environment_id integer NOT NULL,
      account_id uuid NOT NULL,
      account_hmac bytea NOT NULL,
      ending text,
      direction text COLLATE "C" NOT NULL,
      complete_coverage boolean NOT NULL DEFAULT false,
      grace_days integer NOT NULL DEFAULT 3,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT statement_accounts_pkey PRIMARY KEY (environment_id, account_id),
      CONSTRAINT statement_accounts_hmac_key UNIQUE (environment_id, account_hmac),
      CONSTRAINT statement_accounts_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT statement_accounts_direction_known CHECK (direction IN ('credit', 'debit')),
      CONSTRAINT statement_accounts_ending_length CHECK (char_length(ending) <= 4),
      CONSTRAINT statement_accounts_grace_range CHECK (grace_days BETWEEN 0 AND 30)
    );
    COMMENT ON COLUMN statement_accounts.account_hmac IS 'HMAC-SHA-256 of the account number under a pepper';
    COMMENT ON COLUMN statement_accounts.direction IS 'the entries that pay contributions: credits of a collecting account, debits of a paying account';
    COMMENT ON COLUMN statement_accounts.complete_coverage IS 'all contributions are paid through accounts with this mark, so that missing money is found';

    CREATE TABLE statement_files (
      environment_id integer NOT NULL,
      file_id uuid NOT NULL,
      sha256 bytea NOT NULL,
      format text NOT NULL,
      version text,
      state text COLLATE "C" NOT NULL DEFAULT 'receiving',
      entry_count integer NOT NULL,
      matched_count integer NOT NULL DEFAULT 0,
      problems jsonb NOT NULL DEFAULT '[]',
      received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      claimed_until timestamptz,
      matched_at timestamptz,
      voided_at timestamptz,
      void_reason text,
      CONSTRAINT statement_files_pkey PRIMARY KEY (environment_id, file_id),
      CONSTRAINT statement_files_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT statement_files_state_known CHECK (state IN ('receiving', 'stored', 'matched')),
      CONSTRAINT statement_files_counts CHECK (matched_count BETWEEN 0 AND entry_count),
      CONSTRAINT statement_files_void_has_reason CHECK ((voided_at IS NULL) = (void_reason IS NULL))
    );
    CREATE UNIQUE INDEX statement_files_content_key ON statement_files (environment_id, sha256)
      WHERE voided_at IS NULL;
    CREATE INDEX statement_files_by_time ON statement_files (environment_id, received_at, file_id);
    CREATE INDEX statement_files_unmatched ON statement_files (environment_id, file_id) WHERE state = 'stored';
    COMMENT ON COLUMN statement_files.state IS 'receiving: not all entries are stored, the sender must repeat the upload; stored: to be matched';
    COMMENT ON COLUMN statement_files.matched_count IS 'the entries of the file, in order, that have been matched';
    COMMENT ON COLUMN statement_files.claimed_until IS 'until then, one process matches the file';

    CREATE TABLE statements (
      environment_id integer NOT NULL,
      file_id uuid NOT NULL,
      number integer NOT NULL,
      account_id uuid NOT NULL,
      bank_statement_id text,
      kind text COLLATE "C" NOT NULL,
      sequence numeric(18, 0),
      period_from date,
      period_to date,
      starts_at_ms bigint NOT NULL,
      ends_at_ms bigint NOT NULL,
      is_period_known boolean NOT NULL,
      currency text,
      opening_cents bigint,
      closing_cents bigint,
      balance text COLLATE "C" NOT NULL,
      entry_count integer NOT NULL,
      CONSTRAINT statements_pkey PRIMARY KEY (environment_id, file_id, number),
      CONSTRAINT statements_file_fkey
        FOREIGN KEY (environment_id, file_id) REFERENCES statement_files (environment_id, file_id),
      CONSTRAINT statements_account_fkey
        FOREIGN KEY (environment_id, account_id) REFERENCES statement_accounts (environment_id, account_id),
      CONSTRAINT statements_kind_known CHECK (kind IN ('final', 'interim', 'notification')),
      CONSTRAINT statements_balance_known CHECK (balance IN ('balanced', 'unbalanced', 'not_checked')),
      CONSTRAINT statements_period_ordered CHECK (period_from <= period_to AND starts_at_ms < ends_at_ms)
    );
    CREATE INDEX statements_by_account ON statements (environment_id, account_id, period_from);
    COMMENT ON COLUMN statements.starts_at_ms IS 'the time that the statement covers, to compare it with others; a daily statement with a number has a millisecond of its day';

    CREATE TABLE entry_sources (
      environment_id integer NOT NULL,
      file_id uuid NOT NULL,
      place integer NOT NULL,
      statement_number integer NOT NULL,
      line integer NOT NULL,
      class_key bytea NOT NULL,
      occurrence integer NOT NULL,
      parent_key bytea,
      has_reference boolean NOT NULL,
      direction text COLLATE "C" NOT NULL,
      amount_cents bigint,
      charges_cents bigint NOT NULL,
      currency text NOT NULL,
      booking_date date,
      bank_reference text,
      problem text COLLATE "C",
      return_code text,
      search jsonb NOT NULL,
      CONSTRAINT entry_sources_pkey PRIMARY KEY (environment_id, file_id, place),
      CONSTRAINT entry_sources_statement_fkey
        FOREIGN KEY (environment_id, file_id, statement_number) REFERENCES statements (environment_id, file_id, number),
      CONSTRAINT entry_sources_direction_known CHECK (direction IN ('credit', 'debit')),
      CONSTRAINT entry_sources_bank_reference_length CHECK (char_length(bank_reference) <= 140)
    );
    CREATE INDEX entry_sources_by_class ON entry_sources (environment_id, class_key);
    CREATE INDEX entry_sources_by_parent ON entry_sources (environment_id, parent_key) WHERE parent_key IS NOT NULL;
    COMMENT ON TABLE entry_sources IS 'the lines of uploaded files: which file states which entry';
    COMMENT ON COLUMN entry_sources.class_key IS 'digest of everything that identifies an entry; equal lines have equal digests';
    COMMENT ON COLUMN entry_sources.occurrence IS 'number among the equal lines of one statement';
    COMMENT ON COLUMN entry_sources.search IS 'the transaction ids and references that were found in the texts; never the texts';

    GRANT SELECT (environment_id, account_id, account_hmac, ending, direction, complete_coverage, grace_days, created_at),
          INSERT (environment_id, account_id, account_hmac, ending, direction),
          UPDATE (complete_coverage, grace_days)
      ON statement_accounts TO contribution_service;
    GRANT SELECT (environment_id, file_id, sha256, format, version, state, entry_count, matched_count, problems,
                  received_at, claimed_until, voided_at, void_reason),
          INSERT (environment_id, file_id, sha256, format, version, entry_count, problems),
          UPDATE (state, matched_count, claimed_until, matched_at, voided_at, void_reason)
      ON statement_files TO contribution_service;
    GRANT SELECT (environment_id, file_id, number, account_id, bank_statement_id, kind, period_from, period_to, starts_at_ms,
                  ends_at_ms, is_period_known, sequence, opening_cents, closing_cents, balance, entry_count),
          INSERT (environment_id, file_id, number, account_id, bank_statement_id, kind, sequence, period_from, period_to,
                  starts_at_ms, ends_at_ms, is_period_known, currency, opening_cents, closing_cents, balance, entry_count)
      ON statements TO contribution_service;
    GRANT SELECT (environment_id, file_id, place, statement_number, class_key, occurrence, parent_key, has_reference,
                  direction, amount_cents, charges_cents, currency, booking_date, bank_reference, problem, return_code, search),
          INSERT (environment_id, file_id, place, statement_number, line, class_key, occurrence, parent_key, has_reference,
                  direction, amount_cents, charges_cents, currency, booking_date, bank_reference, problem, return_code, search)
      ON entry_sources TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'DROP TABLE entry_sources; DROP TABLE statements; DROP TABLE statement_files; DROP TABLE statement_accounts',
  );
}
