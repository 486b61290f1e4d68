-- Bank statements that an environment uploaded, and which contribution each entry pays. Everything
-- here belongs to the environment that uploaded the file. Files, account numbers, names and free
-- texts are not stored. Transactions belong to other environments, so no foreign key leads to them;
-- verify checks them.

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
  reading bytea,
  rules integer NOT NULL DEFAULT 0,
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
CREATE INDEX statement_files_by_rules ON statement_files (rules, environment_id)
  WHERE state = 'matched' AND voided_at IS NULL;
COMMENT ON COLUMN statement_files.state IS
  'receiving: not all entries are stored, the sender must repeat the upload; stored: to be matched';
COMMENT ON COLUMN statement_files.matched_count IS
  'the entries of the file, in order, that have been matched';
COMMENT ON COLUMN statement_files.claimed_until IS 'until then, one process matches the file';
COMMENT ON COLUMN statement_files.reading IS
  'HMAC-SHA-256 under a pepper of the account, direction and mapping of the upload';
COMMENT ON COLUMN statement_files.rules IS
  'the version of the rules with which the entries were matched; 0 if none has been';

CREATE TABLE statements (
  environment_id integer NOT NULL,
  file_id uuid NOT NULL,
  number integer NOT NULL,
  account_id uuid NOT NULL,
  bank_statement_id text,
  kind text COLLATE "C" NOT NULL,
  sequence numeric(18,0),
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
  daily_cents jsonb,
  made_at text,
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
COMMENT ON COLUMN statements.starts_at_ms IS
  'the time that the statement covers, to compare it with others; a daily statement with a number has a millisecond of its day';
COMMENT ON COLUMN statements.daily_cents IS
  'the booked sum of each day with entries, in cents; null for a single day, or if it is unknown';
COMMENT ON COLUMN statements.made_at IS
  'when the bank made it: in UTC with Z, or in an unknown zone without Z; null if it is not stated';

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
  plain_key bytea,
  CONSTRAINT entry_sources_pkey PRIMARY KEY (environment_id, file_id, place),
  CONSTRAINT entry_sources_statement_fkey
    FOREIGN KEY (environment_id, file_id, statement_number) REFERENCES statements (environment_id, file_id, number),
  CONSTRAINT entry_sources_direction_known CHECK (direction IN ('credit', 'debit')),
  CONSTRAINT entry_sources_bank_reference_length CHECK (char_length(bank_reference) <= 140)
);
CREATE INDEX entry_sources_by_class ON entry_sources (environment_id, class_key);
CREATE INDEX entry_sources_by_parent ON entry_sources (environment_id, parent_key)
  WHERE parent_key IS NOT NULL;
-- A line with the bank's reference keeps the class of the same line without it, so that a payment
-- that one statement states with the reference and another one without counts once.
CREATE INDEX entry_sources_by_plain ON entry_sources (environment_id, plain_key) WHERE plain_key IS NOT NULL;
COMMENT ON TABLE entry_sources IS 'the lines of uploaded files: which file states which entry';
COMMENT ON COLUMN entry_sources.class_key IS
  'digest of everything that identifies an entry; equal lines have equal digests';
COMMENT ON COLUMN entry_sources.occurrence IS 'number among the equal lines of one statement';
COMMENT ON COLUMN entry_sources.search IS
  'the transaction ids and references that were found in the texts; never the texts';
COMMENT ON COLUMN entry_sources.plain_key IS
  'class_key of the same line in a statement that omits the bank''s reference';

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
  line_key text COLLATE "C",
  CONSTRAINT statement_entries_pkey PRIMARY KEY (environment_id, entry_id),
  CONSTRAINT statement_entries_class_key UNIQUE (environment_id, class_key, occurrence),
  CONSTRAINT statement_entries_account_fkey
    FOREIGN KEY (environment_id, account_id) REFERENCES statement_accounts (environment_id, account_id),
  CONSTRAINT statement_entries_standing_known
    CHECK (standing IN ('confirmed', 'proposed', 'suspected', 'absent'))
);
-- A position shows how many of these entries may be its missing money. Few entries are unclear.
CREATE INDEX statement_entries_unclear ON statement_entries (environment_id, booking_date)
  WHERE outcome IN ('unreadable', 'sums_differ') AND NOT is_decided;
COMMENT ON COLUMN statement_entries.standing IS
  'confirmed: its allocations count; proposed: no trusted statement has it; suspected: perhaps a repeat of another entry; absent: no statement has it any more';
COMMENT ON COLUMN statement_entries.line_key IS
  'digest of what tells its line from others with the same bank reference';

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
  decided_at timestamptz,
  CONSTRAINT statement_money_pkey PRIMARY KEY (environment_id, transaction_id),
  CONSTRAINT statement_money_not_negative CHECK (
  gross_cents >= other_gross_cents AND other_gross_cents >= 0
  AND returned_cents >= other_returned_cents AND other_returned_cents >= 0)
);
COMMENT ON TABLE statement_money IS
  'sums of the confirmed allocations of one viewer; never added to those of another';
COMMENT ON COLUMN statement_money.other_gross_cents IS 'the part in payments of another amount than expected';
COMMENT ON COLUMN statement_money.decided_at IS
  'when a decision closed it; null if it is not decided, and for decisions of before';

-- Only appended. Each has a number, so that a decision whose entry was not derived again is found
-- after a crash.
CREATE TABLE reconciliation_decisions (
  environment_id integer NOT NULL,
  decision_id uuid NOT NULL,
  entry_id uuid NOT NULL,
  action text COLLATE "C" NOT NULL,
  allocations jsonb NOT NULL,
  reason text NOT NULL,
  decided_by_api_key text COLLATE "C" NOT NULL,
  decided_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  number integer NOT NULL,
  line_key text COLLATE "C",
  is_superseded boolean NOT NULL DEFAULT false,
  known_money jsonb,
  CONSTRAINT reconciliation_decisions_pkey PRIMARY KEY (environment_id, decision_id),
  CONSTRAINT reconciliation_decisions_number_key UNIQUE (environment_id, number),
  CONSTRAINT reconciliation_decisions_entry_fkey
    FOREIGN KEY (environment_id, entry_id) REFERENCES statement_entries (environment_id, entry_id),
  CONSTRAINT reconciliation_decisions_action_known
    CHECK (action IN ('link', 'split', 'unlink', 'ignore', 'accept_difference', 'complete')),
  CONSTRAINT reconciliation_decisions_reason_length CHECK (char_length(reason) BETWEEN 1 AND 500)
);
CREATE INDEX reconciliation_decisions_by_entry
  ON reconciliation_decisions (environment_id, entry_id, decision_id);
COMMENT ON COLUMN reconciliation_decisions.number IS
  'number among the decisions of the environment; the newest one of an entry counts';
COMMENT ON COLUMN reconciliation_decisions.line_key IS
  'the line of the entry when it was decided; null for decisions of before';
COMMENT ON COLUMN reconciliation_decisions.is_superseded IS
  'another decision came while this one completed contributions; it never counted';
COMMENT ON COLUMN reconciliation_decisions.known_money IS
  'of each contribution that it closes: paid and returned cents when it was made; null for decisions of before';

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

-- What each environment with statements has already compared, so that a later completion, list or
-- bank link compares the entries again that wait for it.
CREATE TABLE matching_progress (
  environment_id integer NOT NULL,
  seen_sequence bigint NOT NULL DEFAULT 0,
  matched_sequence bigint NOT NULL DEFAULT 0,
  seen_lists integer NOT NULL DEFAULT 0,
  matched_lists integer NOT NULL DEFAULT 0,
  seen_links integer NOT NULL DEFAULT 0,
  matched_links integer NOT NULL DEFAULT 0,
  claimed_until timestamptz,
  seen_decisions integer NOT NULL DEFAULT 0,
  matched_decisions integer NOT NULL DEFAULT 0,
  open_7_to_14_days integer NOT NULL DEFAULT 0,
  open_14_to_30_days integer NOT NULL DEFAULT 0,
  open_over_30_days integer NOT NULL DEFAULT 0,
  positions_due_at timestamptz NOT NULL DEFAULT '-infinity',
  seen_directions integer NOT NULL DEFAULT 0,
  files_turn_at timestamptz,
  rules integer NOT NULL DEFAULT 0,
  CONSTRAINT matching_progress_pkey PRIMARY KEY (environment_id),
  CONSTRAINT matching_progress_environment_fkey
    FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
  CONSTRAINT matching_progress_seen_first
    CHECK (matched_sequence <= seen_sequence AND matched_lists <= seen_lists AND matched_links <= seen_links),
  CONSTRAINT matching_progress_decisions_seen_first CHECK (matched_decisions <= seen_decisions)
);
COMMENT ON COLUMN matching_progress.seen_sequence IS
  'entries are derived with all events of the feed up to this one';
COMMENT ON COLUMN matching_progress.matched_sequence IS
  'entries that wait for events up to this one are derived again';
COMMENT ON COLUMN matching_progress.seen_links IS
  'the number of starts and ends of links in which the environment is the bank';
COMMENT ON COLUMN matching_progress.open_7_to_14_days IS
  'open positions of contributions that were created so long before the last count';
COMMENT ON COLUMN matching_progress.positions_due_at IS
  'the next count of open positions; a process that counts moves it first';
COMMENT ON COLUMN matching_progress.seen_directions IS 'the number of changes of an account''s direction';
COMMENT ON COLUMN matching_progress.files_turn_at IS
  'the last turn of the environment''s files; the environment with the oldest one is next';
COMMENT ON COLUMN matching_progress.rules IS
  'the newest version of the rules that stored a result; results of older ones are refused';

CREATE TABLE entry_references (
  environment_id integer NOT NULL,
  reference text COLLATE "C" NOT NULL,
  class_key bytea NOT NULL,
  CONSTRAINT entry_references_pkey PRIMARY KEY (environment_id, reference, class_key),
  CONSTRAINT entry_references_environment_fkey
    FOREIGN KEY (environment_id) REFERENCES environments (environment_id)
);
COMMENT ON TABLE entry_references IS
  'the entries without a known transaction id, by the references that may name a settlement';
