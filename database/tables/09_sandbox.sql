-- The settings of a company's sandbox. Planned completions and armed faults are rows, so they
-- survive a restart, and every process uses them up together.

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
CREATE INDEX sandbox_settlements_open ON sandbox_settlements (environment_id, due_at) WHERE done_at IS NULL;
COMMENT ON TABLE sandbox_settlements IS 'completions that the simulated bank attempts, or has attempted';
COMMENT ON COLUMN sandbox_settlements.attempt IS '1 and 2: planned by the settings; higher: requested';
COMMENT ON COLUMN sandbox_settlements.leased_until IS 'until then, the process that took it has the turn';

-- A used fault keeps its row, and the next one of the same operation and kind replaces it. The
-- table therefore does not grow.
CREATE TABLE sandbox_faults (
  environment_id integer NOT NULL,
  environment_kind text NOT NULL DEFAULT 'test',
  operation text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  times smallint NOT NULL,
  times_left smallint NOT NULL,
  delay_ms integer NOT NULL,
  armed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT sandbox_faults_pkey PRIMARY KEY (environment_id, operation, kind),
  CONSTRAINT sandbox_faults_environment_fkey
    FOREIGN KEY (environment_id, environment_kind) REFERENCES environments (environment_id, kind),
  CONSTRAINT sandbox_faults_test_only CHECK (environment_kind = 'test'),
  CONSTRAINT sandbox_faults_times_range CHECK (times BETWEEN 1 AND 100),
  CONSTRAINT sandbox_faults_times_left_range CHECK (times_left BETWEEN 0 AND times),
  CONSTRAINT sandbox_faults_delay_range CHECK (delay_ms BETWEEN 0 AND 30000)
);
COMMENT ON TABLE sandbox_faults IS 'failures that a company has armed for its own test requests';
COMMENT ON COLUMN sandbox_faults.operation IS 'the operationId of the OpenAPI document';

-- Contains no secret and no personal data: the service removes both before it writes. It deletes
-- old rows.
CREATE TABLE sandbox_requests (
  environment_id integer NOT NULL,
  received_at timestamptz NOT NULL,
  entry_id uuid NOT NULL,
  request_id text NOT NULL,
  method text NOT NULL,
  path text,
  operation text,
  status integer,
  error_code text,
  duration_ms double precision NOT NULL,
  api_key text NOT NULL,
  idempotency_key text,
  details jsonb NOT NULL,
  CONSTRAINT sandbox_requests_pkey PRIMARY KEY (environment_id, received_at, entry_id),
  CONSTRAINT sandbox_requests_environment_fkey
    FOREIGN KEY (environment_id) REFERENCES environments (environment_id)
);
COMMENT ON TABLE sandbox_requests IS 'the last requests of each test environment, for partners who debug';
COMMENT ON COLUMN sandbox_requests.details IS
  'query, body, error detail and errors, with secrets and personal data removed';
