import type { Knex } from 'knex';

const bits = "repeat('0', 1024)::bit(1024)";

const tables = [
  `CREATE TABLE account_days (
    environment_id integer NOT NULL,
    account_id uuid NOT NULL,
    day date NOT NULL,
    statement_ids uuid[] NOT NULL DEFAULT '{}',
    proposed_statement_ids uuid[] NOT NULL DEFAULT '{}',
    opening_cents bigint,
    closing_cents bigint,
    question jsonb,
    generation integer NOT NULL DEFAULT 0,
    waiting bit(1024) NOT NULL DEFAULT ${bits},
    working bit(1024) NOT NULL DEFAULT ${bits},
    has_work boolean NOT NULL GENERATED ALWAYS AS ((waiting | working) <> ${bits}) STORED,
    claimed_until timestamptz,
    failures integer NOT NULL DEFAULT 0,
    failure text,
    CONSTRAINT account_days_pkey PRIMARY KEY (environment_id, account_id, day),
    CONSTRAINT account_days_account_fkey
      FOREIGN KEY (environment_id, account_id) REFERENCES statement_accounts (environment_id, account_id),
    CONSTRAINT account_days_failures_not_negative CHECK (failures >= 0 AND generation >= 0),
    CONSTRAINT account_days_failed_has_reason CHECK ((failures > 0) = (failure IS NOT NULL))
  )`,
  `CREATE TABLE line_allocations (
    environment_id integer NOT NULL,
    account_id uuid NOT NULL,
    day date NOT NULL,
    bucket smallint NOT NULL,
    line_key text COLLATE "C" NOT NULL,
    transaction_id text COLLATE "C" NOT NULL,
    transaction_environment_id integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    amount_cents bigint NOT NULL,
    charges_cents bigint NOT NULL,
    expected_cents bigint NOT NULL,
    confidence text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    CONSTRAINT line_allocations_pkey
      PRIMARY KEY (environment_id, account_id, day, bucket, line_key, transaction_id),
    CONSTRAINT line_allocations_day_fkey
      FOREIGN KEY (environment_id, account_id, day) REFERENCES account_days (environment_id, account_id, day),
    CONSTRAINT line_allocations_bucket_range CHECK (bucket BETWEEN 0 AND 1023),
    CONSTRAINT line_allocations_kind_known CHECK (kind IN ('payment', 'return')),
    CONSTRAINT line_allocations_amount_positive CHECK (amount_cents > 0),
    CONSTRAINT line_allocations_confidence_known
      CHECK (confidence IN ('exact', 'normalized', 'repaired', 'settlement', 'decision')),
    CONSTRAINT line_allocations_state_known CHECK (state IN ('proposed', 'confirmed')),
    CONSTRAINT line_allocations_repaired_never_confirmed
      CHECK (confidence <> 'repaired' OR state = 'proposed')
  )`,
  `CREATE TABLE contribution_money (
    environment_id integer NOT NULL,
    transaction_id text COLLATE "C" NOT NULL,
    transaction_environment_id integer NOT NULL,
    expected_cents bigint NOT NULL,
    gross_cents numeric(30,0) NOT NULL DEFAULT 0,
    returned_cents numeric(30,0) NOT NULL DEFAULT 0,
    other_gross_cents numeric(30,0) NOT NULL DEFAULT 0,
    other_returned_cents numeric(30,0) NOT NULL DEFAULT 0,
    charges_cents numeric(30,0) NOT NULL DEFAULT 0,
    CONSTRAINT contribution_money_pkey PRIMARY KEY (environment_id, transaction_id),
    CONSTRAINT contribution_money_environment_fkey
      FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
    CONSTRAINT contribution_money_not_negative CHECK (
      gross_cents >= other_gross_cents AND other_gross_cents >= 0
      AND returned_cents >= other_returned_cents AND other_returned_cents >= 0)
  )`,
  'CREATE INDEX account_days_with_work ON account_days (claimed_until NULLS FIRST) WHERE has_work',
  'CREATE INDEX line_allocations_by_transaction ON line_allocations (environment_id, transaction_id)',
];

const comments = {
  'TABLE account_days':
    'what the statements of an account say about one day, and what is still to be compared',
  'COLUMN account_days.statement_ids': 'the statements that count for this day, in order: its version',
  'COLUMN account_days.proposed_statement_ids':
    'other statements of the day, whose additional lines are proposed',
  'COLUMN account_days.generation':
    'counts the claims. A process whose claim another one took over stores nothing',
  'COLUMN account_days.waiting': 'the buckets of lines to compare again: see bucketOf',
  'COLUMN account_days.working': 'the buckets that the process with the claim has still to compare',
  'COLUMN account_days.claimed_until':
    'until then, only the process with the claim works; after failures, the next attempt',
  'TABLE line_allocations':
    'the part of a line that belongs to a contribution. Derived, so its rows are replaced',
  'COLUMN line_allocations.charges_cents':
    'the part of amount_cents that never arrived, or what a return cost in addition',
  'TABLE contribution_money':
    'sums of the confirmed allocations of one viewer; never added to those of another',
  'COLUMN contribution_money.other_gross_cents': 'the part in payments of another amount than expected',
};

/** What each account has on each day, and the money that follows from it. Nothing reads it yet. */
export async function up(knex: Knex): Promise<void> {
  for (const statement of tables) await knex.raw(statement);
  for (const [thing, text] of Object.entries(comments)) await knex.raw(`COMMENT ON ${thing} IS '${text}'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE contribution_money');
  await knex.raw('DROP TABLE line_allocations');
  await knex.raw('DROP TABLE account_days');
}
