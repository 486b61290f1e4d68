import type { Knex } from 'knex';

const bits = "repeat('0', 1024)::bit(1024)";

const changes = [
  // Nothing has written a day yet.
  `ALTER TABLE account_days
     DROP COLUMN has_work,
     DROP COLUMN proposed_statement_ids,
     ADD COLUMN is_changed boolean NOT NULL DEFAULT false,
     ADD COLUMN spreading bit(1024) NOT NULL DEFAULT ${bits},
     ADD COLUMN version text COLLATE "C",
     ADD COLUMN format text COLLATE "C",
     ADD COLUMN problem text COLLATE "C",
     ADD COLUMN change_cents numeric(30,0),
     ADD COLUMN summary jsonb,
     ADD COLUMN chosen_in integer`,
  `ALTER TABLE account_days
     ADD COLUMN has_work boolean NOT NULL
       GENERATED ALWAYS AS (is_changed OR (waiting | working | spreading) <> ${bits}) STORED,
     ADD CONSTRAINT account_days_version_whole
       CHECK (num_nulls(version, format, change_cents, summary, chosen_in) IN (0, 5))`,
  'CREATE INDEX account_days_with_work ON account_days (claimed_until NULLS FIRST) WHERE has_work',
  // The hashes have the account now. Without statistics, the planner would use an index that also
  // has the account or the day for the lines of a day, and read all of them.
  'DROP INDEX statement_lines_by_money',
  'DROP INDEX statement_lines_by_batch',
  'CREATE INDEX statement_lines_by_money ON statement_lines (environment_id, money_hash)',
  'CREATE INDEX statement_lines_by_batch ON statement_lines (environment_id, batch_hash)',
  `ALTER TABLE line_allocations DROP COLUMN line_key, ADD COLUMN entry_id uuid NOT NULL`,
  `ALTER TABLE line_allocations ADD CONSTRAINT line_allocations_pkey
     PRIMARY KEY (environment_id, account_id, day, bucket, entry_id, transaction_id)`,
  `ALTER TABLE statement_accounts ADD COLUMN remembered_answer text COLLATE "C",
     ADD CONSTRAINT statement_accounts_remembered_known CHECK (remembered_answer IN ('newest', 'all_lines'))`,
  `CREATE TABLE line_exceptions (
    environment_id integer NOT NULL,
    account_id uuid NOT NULL,
    day date NOT NULL,
    generation integer NOT NULL,
    statement_id uuid NOT NULL,
    number integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    CONSTRAINT line_exceptions_pkey
      PRIMARY KEY (environment_id, account_id, day, generation, statement_id, number),
    CONSTRAINT line_exceptions_day_fkey
      FOREIGN KEY (environment_id, account_id, day) REFERENCES account_days (environment_id, account_id, day),
    CONSTRAINT line_exceptions_kind_known CHECK (kind IN ('doubtful', 'additional', 'repeated'))
  )`,
  `CREATE TABLE line_outcomes (
    environment_id integer NOT NULL,
    account_id uuid NOT NULL,
    day date NOT NULL,
    bucket smallint NOT NULL,
    statement_id uuid NOT NULL,
    number integer NOT NULL,
    part integer NOT NULL,
    state text COLLATE "C" NOT NULL,
    replaced_by text COLLATE "C",
    entry_id uuid,
    outcome text COLLATE "C",
    reason text COLLATE "C",
    is_decided boolean NOT NULL DEFAULT false,
    direction text COLLATE "C" NOT NULL,
    amount_cents bigint NOT NULL,
    charges_cents bigint NOT NULL DEFAULT 0,
    reference text COLLATE "C",
    digest text COLLATE "C" NOT NULL,
    occurrence integer,
    term text COLLATE "C",
    term_cents bigint NOT NULL DEFAULT 0,
    fee_cents bigint NOT NULL DEFAULT 0,
    CONSTRAINT line_outcomes_pkey
      PRIMARY KEY (environment_id, account_id, day, bucket, statement_id, number, part),
    CONSTRAINT line_outcomes_day_fkey
      FOREIGN KEY (environment_id, account_id, day) REFERENCES account_days (environment_id, account_id, day),
    CONSTRAINT line_outcomes_entry_key UNIQUE (environment_id, entry_id),
    CONSTRAINT line_outcomes_bucket_range CHECK (bucket BETWEEN 0 AND 1023),
    CONSTRAINT line_outcomes_state_known CHECK (state IN ('counted', 'proposed', 'replaced')),
    CONSTRAINT line_outcomes_replaced_by CHECK ((state = 'replaced') = (replaced_by IS NOT NULL)),
    CONSTRAINT line_outcomes_judged
      CHECK ((state = 'replaced') = (num_nulls(entry_id, outcome, occurrence) = 3)
         AND num_nulls(entry_id, outcome, occurrence) IN (0, 3)),
    CONSTRAINT line_outcomes_term_known
      CHECK (term IN ('matched', 'returned', 'charges', 'ignored', 'unexplained')),
    CONSTRAINT line_outcomes_no_sum_without_term CHECK (term IS NOT NULL OR (term_cents = 0 AND fee_cents = 0))
  )`,
  `CREATE TABLE line_references (
    environment_id integer NOT NULL,
    reference text COLLATE "C" NOT NULL,
    account_id uuid NOT NULL,
    day date NOT NULL,
    bucket smallint NOT NULL,
    CONSTRAINT line_references_pkey PRIMARY KEY (environment_id, reference, account_id, day, bucket),
    CONSTRAINT line_references_account_fkey
      FOREIGN KEY (environment_id, account_id) REFERENCES statement_accounts (environment_id, account_id)
  )`,
  `CREATE TABLE line_decisions (
    environment_id integer NOT NULL,
    account_id uuid NOT NULL,
    number integer NOT NULL,
    decision_id uuid NOT NULL,
    entry_id uuid NOT NULL,
    day date NOT NULL,
    direction text COLLATE "C" NOT NULL,
    amount_cents bigint NOT NULL,
    reference text COLLATE "C",
    digest text COLLATE "C" NOT NULL,
    occurrence integer NOT NULL,
    money_hash bigint NOT NULL,
    action text COLLATE "C" NOT NULL,
    allocations jsonb NOT NULL DEFAULT '[]',
    reason text NOT NULL,
    decided_by text COLLATE "C" NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    CONSTRAINT line_decisions_pkey PRIMARY KEY (environment_id, account_id, number),
    CONSTRAINT line_decisions_id_key UNIQUE (environment_id, decision_id),
    CONSTRAINT line_decisions_account_fkey
      FOREIGN KEY (environment_id, account_id) REFERENCES statement_accounts (environment_id, account_id),
    CONSTRAINT line_decisions_action_known
      CHECK (action IN ('link', 'split', 'unlink', 'ignore', 'accept_difference', 'complete', 'undo')),
    CONSTRAINT line_decisions_reason_length CHECK (char_length(reason) BETWEEN 1 AND 500)
  )`,
  `CREATE INDEX line_decisions_by_money ON line_decisions (environment_id, money_hash, day)`,
  `CREATE INDEX line_decisions_of_entry ON line_decisions (environment_id, entry_id)`,
  `CREATE TABLE day_choices (
    environment_id integer NOT NULL,
    account_id uuid NOT NULL,
    day date NOT NULL,
    number integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    version text COLLATE "C",
    gap text COLLATE "C",
    among text[] COLLATE "C" NOT NULL DEFAULT '{}',
    reason text NOT NULL,
    decided_by text COLLATE "C" NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    CONSTRAINT day_choices_pkey PRIMARY KEY (environment_id, account_id, day, number),
    CONSTRAINT day_choices_day_fkey
      FOREIGN KEY (environment_id, account_id, day) REFERENCES account_days (environment_id, account_id, day),
    CONSTRAINT day_choices_kind_known CHECK (kind IN ('version', 'all_lines', 'use_anyway', 'accept', 'undo')),
    CONSTRAINT day_choices_version_given CHECK ((kind IN ('version', 'use_anyway')) = (version IS NOT NULL)),
    CONSTRAINT day_choices_gap_given CHECK ((kind = 'accept') = (gap IS NOT NULL)),
    CONSTRAINT day_choices_reason_length CHECK (char_length(reason) BETWEEN 1 AND 500)
  )`,
  `CREATE TABLE closed_months (
    environment_id integer NOT NULL,
    month date NOT NULL,
    closed_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    closed_by text NOT NULL,
    CONSTRAINT closed_months_pkey PRIMARY KEY (environment_id, month),
    CONSTRAINT closed_months_environment_fkey
      FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
    CONSTRAINT closed_months_first_day CHECK (EXTRACT(DAY FROM month) = 1)
  )`,
];

const comments = {
  'COLUMN statement_lines.money_hash':
    'a digest of the account and of what is equal in lines of other days about the same money: see moneyKey',
  'COLUMN account_days.is_changed':
    'whether its statements or answers have changed since its version was chosen',
  'COLUMN account_days.spreading': 'the buckets whose lines may change lines of other days',
  'COLUMN account_days.version': 'the key of its version; null if no statement states the day',
  'COLUMN account_days.chosen_in': 'the generation whose exceptions count: see line_exceptions',
  'COLUMN account_days.summary': 'what the calendar needs to know of the version: see DaySummary',
  'TABLE line_exceptions': 'lines of a day that do not count like the rest of their statement',
  'TABLE line_outcomes':
    'what each line of a day is: counted, proposed or replaced. Derived, so its rows are replaced',
  'COLUMN line_outcomes.part': '0, or the number of a part that a notification supplied',
  'COLUMN line_outcomes.entry_id': 'identifies the line for a person; equal in all versions that have it',
  'COLUMN line_outcomes.term': 'the term of the reconciliation to which it adds term_cents',
  'COLUMN line_outcomes.fee_cents': 'what it adds to the charges besides',
  'TABLE line_references': 'days and buckets with lines that a completion, list or return may explain',
  'TABLE line_decisions': 'what persons decided about lines; the newest of a line counts',
  'TABLE day_choices': 'what persons answered to questions about a day; the newest counts',
  'COLUMN day_choices.gap': 'names the balances that do not follow each other, and that a person accepted',
  'TABLE closed_months': 'months that are closed now',
};

const tables = [
  ...[
    'closed_months',
    'day_choices',
    'line_decisions',
    'line_references',
    'line_outcomes',
    'line_exceptions',
  ],
];

/** What is needed to compare the lines of days, and what persons decide. Nothing reads it yet. */
export async function up(knex: Knex): Promise<void> {
  for (const statement of changes) await knex.raw(statement);
  for (const [thing, text] of Object.entries(comments)) await knex.raw(`COMMENT ON ${thing} IS '${text}'`);
  // The new release has another function with this name.
  await knex.raw('DROP FUNCTION IF EXISTS put_day_chunk(integer, uuid, date, integer, bit, jsonb)');
}

export async function down(knex: Knex): Promise<void> {
  for (const table of tables) await knex.raw(`DROP TABLE ${table}`);
  await knex.raw('ALTER TABLE statement_accounts DROP COLUMN remembered_answer');
  for (const by of ['money', 'batch']) {
    await knex.raw(`DROP INDEX statement_lines_by_${by}`);
    await knex.raw(
      `CREATE INDEX statement_lines_by_${by} ON statement_lines (environment_id, account_id, ${by}_hash, day)`,
    );
  }
  await knex.raw(
    'ALTER TABLE line_allocations DROP COLUMN entry_id, ADD COLUMN line_key text COLLATE "C" NOT NULL',
  );
  await knex.raw(
    `ALTER TABLE line_allocations ADD CONSTRAINT line_allocations_pkey
       PRIMARY KEY (environment_id, account_id, day, bucket, line_key, transaction_id)`,
  );
  await knex.raw(
    `ALTER TABLE account_days
       DROP COLUMN has_work, DROP COLUMN is_changed, DROP COLUMN spreading, DROP COLUMN version,
       DROP COLUMN format, DROP COLUMN problem, DROP COLUMN change_cents, DROP COLUMN summary,
       DROP COLUMN chosen_in,
       ADD COLUMN proposed_statement_ids uuid[] NOT NULL DEFAULT '{}'`,
  );
  await knex.raw(
    `ALTER TABLE account_days ADD COLUMN has_work boolean NOT NULL
       GENERATED ALWAYS AS ((waiting | working) <> ${bits}) STORED`,
  );
  await knex.raw(
    'CREATE INDEX account_days_with_work ON account_days (claimed_until NULLS FIRST) WHERE has_work',
  );
}
