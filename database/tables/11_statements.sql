-- The accounts of bank statements, and the lists that say which contributions a transfer pays. The other
-- tables of statements are in migrations/. Everything here belongs to the environment that uploaded the
-- file. Files, account numbers, names and free texts are not stored. Transactions belong to other
-- environments, so no foreign key leads to them; verify checks them.

CREATE TABLE statement_accounts (
  environment_id integer NOT NULL,
  account_id uuid NOT NULL,
  account_hmac bytea NOT NULL,
  ending text,
  direction text COLLATE "C" NOT NULL,
  complete_coverage boolean NOT NULL DEFAULT false,
  grace_days integer NOT NULL DEFAULT 3,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  name text,
  CONSTRAINT statement_accounts_pkey PRIMARY KEY (environment_id, account_id),
  CONSTRAINT statement_accounts_hmac_key UNIQUE (environment_id, account_hmac),
  CONSTRAINT statement_accounts_environment_fkey
    FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
  CONSTRAINT statement_accounts_direction_known CHECK (direction IN ('credit', 'debit')),
  CONSTRAINT statement_accounts_ending_length CHECK (char_length(ending) <= 4),
  CONSTRAINT statement_accounts_grace_range CHECK (grace_days BETWEEN 0 AND 30)
);
COMMENT ON COLUMN statement_accounts.account_hmac IS 'HMAC-SHA-256 of the account number under a pepper';
COMMENT ON COLUMN statement_accounts.direction IS
  'the entries that pay contributions: credits of a collecting account, debits of a paying account';
COMMENT ON COLUMN statement_accounts.complete_coverage IS
  'all contributions are paid through accounts with this mark, so that missing money is found';
COMMENT ON COLUMN statement_accounts.name IS
  'the name that the uploader chose for an account whose files state no number';

-- A list states which contributions one transfer pays. A later list of the same reference replaces
-- the earlier one, which is kept.
CREATE TABLE settlement_lists (
  environment_id integer NOT NULL,
  reference text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  sha256 bytea NOT NULL,
  listed_by_api_key text COLLATE "C" NOT NULL,
  listed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT settlement_lists_pkey PRIMARY KEY (environment_id, reference, revision),
  CONSTRAINT settlement_lists_revision_key UNIQUE (environment_id, revision),
  CONSTRAINT settlement_lists_environment_fkey
    FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
  CONSTRAINT settlement_lists_reference_length CHECK (char_length(reference) BETWEEN 1 AND 140)
);
COMMENT ON COLUMN settlement_lists.revision IS
  'number among the lists of the environment; the newest list of a reference counts';
COMMENT ON COLUMN settlement_lists.sha256 IS 'digest of the lines';

-- No foreign key leads to settlement_lists: clusters distribute the lines before the lists.
CREATE TABLE settlement_lines (
  environment_id integer NOT NULL,
  reference text COLLATE "C" NOT NULL,
  transaction_id text COLLATE "C" NOT NULL,
  amount_cents bigint NOT NULL,
  revision integer NOT NULL,
  CONSTRAINT settlement_lines_pkey PRIMARY KEY (environment_id, reference, revision, transaction_id),
  CONSTRAINT settlement_lines_environment_fkey
    FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
  CONSTRAINT settlement_lines_amount_positive CHECK (amount_cents > 0)
);
COMMENT ON TABLE settlement_lines IS
  'the contributions that a transfer pays, as a list from the bank states them';
