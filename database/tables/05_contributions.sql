-- Contributions. The service's statements allow only valid changes. The guard is a second line of
-- defense on a single server; nothing depends on it.
CREATE TABLE transactions (
  environment_id integer NOT NULL,
  transaction_id text COLLATE "C" NOT NULL,
  transaction_tag text COLLATE "C" NOT NULL GENERATED ALWAYS AS (left(transaction_id, 4)) STORED,
  user_id bigint NOT NULL,
  project_id integer NOT NULL,
  amount_cents bigint NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  idempotency_key text COLLATE "C",
  created_by_api_key text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  completed_at timestamptz,
  completed_by_environment_id integer,
  completed_by_api_key text COLLATE "C",
  bank_reference text,
  value_date date,
  returned_cents bigint NOT NULL DEFAULT 0,
  CONSTRAINT transactions_pkey PRIMARY KEY (environment_id, transaction_id),
  CONSTRAINT transactions_idempotency_key_key UNIQUE (environment_id, idempotency_key),
  -- The tag names the environment, so an id is unique over the whole installation.
  CONSTRAINT transactions_environment_fkey
    FOREIGN KEY (environment_id, transaction_tag) REFERENCES environments (environment_id, transaction_tag),
  CONSTRAINT transactions_user_fkey
    FOREIGN KEY (environment_id, user_id) REFERENCES users (environment_id, user_id),
  CONSTRAINT transactions_project_fkey FOREIGN KEY (project_id) REFERENCES projects (project_id),
  CONSTRAINT transactions_completed_by_fkey
    FOREIGN KEY (completed_by_environment_id) REFERENCES environments (environment_id),
  CONSTRAINT transactions_id_form CHECK (transaction_id ~ '^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{14}$'),
  CONSTRAINT transactions_amount_bounds CHECK (amount_cents BETWEEN 1 AND 100000000000),
  CONSTRAINT transactions_currency_known CHECK (currency = 'USD'),
  CONSTRAINT transactions_status_known CHECK (status IN ('pending', 'completed')),
  CONSTRAINT transactions_idempotency_key_form
    CHECK (idempotency_key ~ '^[ -~]+$' AND octet_length(idempotency_key) <= 255),
  CONSTRAINT transactions_completed_has_time CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
  CONSTRAINT transactions_completed_has_actor CHECK (
    (completed_at IS NULL) = (completed_by_environment_id IS NULL)
    AND (completed_at IS NULL) = (completed_by_api_key IS NULL)
  ),
  CONSTRAINT transactions_evidence_only_when_completed
    CHECK (completed_at IS NOT NULL OR (bank_reference IS NULL AND value_date IS NULL)),
  CONSTRAINT transactions_completed_after_created CHECK (completed_at >= created_at),
  CONSTRAINT transactions_returned_within_amount CHECK (returned_cents BETWEEN 0 AND amount_cents),
  CONSTRAINT transactions_returned_only_when_completed CHECK (returned_cents = 0 OR completed_at IS NOT NULL)
);
CREATE INDEX transactions_by_creation ON transactions (environment_id, created_at, transaction_id);
CREATE INDEX transactions_by_completion ON transactions (environment_id, completed_at, transaction_id)
  WHERE completed_at IS NOT NULL;
CREATE INDEX transactions_by_user ON transactions (environment_id, user_id, created_at);
-- With these indexes, a list that is filtered or ordered in another way also reads only the rows
-- that it shows. Those by completion and by evidence are partial, so only completions add entries
-- to them.
CREATE INDEX transactions_pending_by_creation ON transactions (environment_id, created_at, transaction_id)
  WHERE status = 'pending';
CREATE INDEX transactions_by_project ON transactions (environment_id, project_id, created_at, transaction_id);
CREATE INDEX transactions_by_project_completion
  ON transactions (environment_id, project_id, completed_at, transaction_id)
  WHERE completed_at IS NOT NULL;
CREATE INDEX transactions_by_user_completion
  ON transactions (environment_id, user_id, completed_at, transaction_id)
  WHERE completed_at IS NOT NULL;
CREATE INDEX transactions_by_reference_creation
  ON transactions (environment_id, bank_reference, created_at, transaction_id)
  WHERE bank_reference IS NOT NULL;
CREATE INDEX transactions_by_value_date_creation
  ON transactions (environment_id, value_date, created_at, transaction_id)
  WHERE value_date IS NOT NULL;
COMMENT ON COLUMN transactions.returned_cents IS 'the returns of money_returns minus those that were undone';

-- Money that went back after a contribution was completed, and returns that were undone. The rows
-- belong to the contribution's environment and never change.
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
COMMENT ON COLUMN money_returns.undoes IS
  'the return that this row undoes, in part or in full; null for a return';
